import { josa } from 'es-hangul';

/** The pairs of particles that texts use behind a value, such as `{{name, 을/를}}`. */
const particles = ['은/는', '이/가', '을/를', '으로/로'] as const;

/** How the last character of an id is read where it is no Hangul. All other Latin letters end in a vowel. */
const readings = new Map<string, string>(
  Object.entries({
    0: '영',
    1: '일',
    2: '이',
    3: '삼',
    4: '사',
    5: '오',
    6: '육',
    7: '칠',
    8: '팔',
    9: '구',
    l: '엘',
    m: '엠',
    n: '엔',
  }),
);

/** Adds the particle that fits the last sound of a value: `A-1001이`, `A-1002가`, `달빛으로`. */
export function withParticle(value: string, pair: (typeof particles)[number]): string {
  const last = Array.from(value).findLast((character) => /[\p{L}\p{N}]/u.test(character)) ?? '';
  return value + josa.pick(readings.get(last.toLowerCase()) ?? last, pair);
}

/** The formats of i18next that add particles, by name. */
export const particleFormats = particles.map(
  (pair) => [pair, (value: unknown) => withParticle(String(value), pair)] as const,
);
