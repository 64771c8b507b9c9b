import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { readMemberSearch } from '../members/member-search.ts';
import { describeApiKey, generateApiKey, hashApiKey, parseApiKey } from './api-key.ts';
import { deriveId } from './derived-id.ts';
import { base62, newId, randomBase62, randomText } from './random-text.ts';
import { generateReferralCode, readReferralCode, referralCodeAlphabet } from './referral-code.ts';

describe('Identifiers', () => {
  describe('API keys', () => {
    it.each([
      ['secret', 'live', /^svc_sk_[0-9A-Za-z]{38}$/],
      ['public', 'live', /^svc_pk_[0-9A-Za-z]{38}$/],
      ['secret', 'test', /^svc_sk_test_[0-9A-Za-z]{38}$/],
      ['public', 'test', /^svc_pk_test_[0-9A-Za-z]{38}$/],
    ] as const)('A %s %s key has its prefix and 38 characters', (kind, mode, format) => {
      const key = generateApiKey(kind, mode);
      expect(key).toMatch(format);
      expect(parseApiKey(key)).toEqual({ kind, mode, sha256: hashApiKey(key) });
    });

    it('A live key with the mark of a test key is refused', () => {
      expect(parseApiKey(generateApiKey('secret').replace('_sk_', '_sk_test_'))).toBeUndefined();
      expect(parseApiKey(generateApiKey('secret', 'test').replace('_test_', '_'))).toBeUndefined();
    });

    it('The checksum of a key does not change between versions', () => {
      expect(parseApiKey(`svc_sk_${'0'.repeat(32)}26Fptt`)?.kind).toBe('secret');
    });

    it('A key is hashed with SHA-256', () => {
      expect(hashApiKey('abc').toString('hex')).toBe(
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      );
    });

    it('A key with one changed character is refused', () => {
      const key = generateApiKey('secret');
      fc.assert(
        fc.property(fc.nat(key.length - 1), fc.constantFrom(...base62.split('')), (at, character) => {
          fc.pre(key[at] !== character);
          expect(parseApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBeUndefined();
        }),
        { numRuns: propertyCases(100) },
      );
    });

    it('A secret key with the prefix of a public key is refused', () => {
      expect(parseApiKey(generateApiKey('secret').replace('_sk_', '_pk_'))).toBeUndefined();
    });

    it.each([
      ['undefined', undefined],
      ['an empty text', ''],
      ['a prefix alone', 'svc_sk_'],
      ['a blank at its end', `${generateApiKey('secret')} `],
      ['a line break at its end', `${generateApiKey('secret')}\n`],
      ['a key twice', generateApiKey('secret').repeat(2)],
      ['a million characters', `svc_sk_${'a'.repeat(1_000_000)}`],
      ['characters beyond ASCII', `svc_sk_${'é'.repeat(38)}`],
      ['capitals in the prefix', generateApiKey('secret').replace('svc', 'SVC')],
    ])('%s is not a key', (_, text) => {
      expect(parseApiKey(text)).toBeUndefined();
    });

    it('A key is described by its prefix and its last four characters', () => {
      const key = generateApiKey('public');
      expect(describeApiKey(key)).toEqual({ prefix: 'svc_pk_', lastFour: key.slice(-4) });
      const testKey = generateApiKey('secret', 'test');
      expect(describeApiKey(testKey)).toEqual({ prefix: 'svc_sk_test_', lastFour: testKey.slice(-4) });
    });
  });

  describe('randomText', () => {
    it.each([0, 1, 22, 500])('A random text has the requested length: %d', (length) => {
      expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`));
    });

    it('Every character occurs about equally often', () => {
      const drawn = 62_000;
      const counts = new Map<string, number>();
      for (const character of randomBase62(drawn)) counts.set(character, (counts.get(character) ?? 0) + 1);
      const chiSquare = Array.from(base62).reduce((sum, character) => {
        return sum + ((counts.get(character) ?? 0) - 1000) ** 2 / 1000;
      }, 0);
      // With 61 degrees of freedom, 140 is exceeded once in ten million runs. Bytes modulo 62 would give about 1,000.
      expect(chiSquare).toBeLessThan(140);
    });

    it('Alphabets of 1 and of 256 characters work', () => {
      expect(randomText('x', 5)).toBe('xxxxx');
      const all = String.fromCharCode(...Array.from({ length: 256 }, (_, index) => index));
      expect(randomText(all, 100)).toHaveLength(100);
    });

    it('New identifiers are different', () => {
      const ids = new Set(Array.from({ length: 1000 }, () => newId('evt')));
      expect(ids.size).toBe(1000);
      expect([...ids][0]).toMatch(/^evt_[0-9A-Za-z]{22}$/);
    });
  });

  describe('Referral codes', () => {
    it('Referral codes have no characters that are easily confused', () => {
      expect(referralCodeAlphabet).not.toMatch(/[01OQILUVa-z]/);
      expect(new Set(referralCodeAlphabet).size).toBe(28);
      for (let index = 0; index < 200; index++) {
        const code = generateReferralCode();
        expect(code).toMatch(new RegExp(`^[${referralCodeAlphabet}]{8}$`));
        expect(readReferralCode(code)).toBe(code);
      }
    });

    it.each([
      ['in small letters', 'fgppcb8h'],
      ['with spaces around it and in it', ' FGPP CB8H\t'],
      ['with a hyphen', 'FGPP-CB8H'],
      ['with a dash that a word processor made of a hyphen', 'FGPP\u2013CB8H'],
      ['with full-width characters', '\uff26\uff27\uff30\uff30\uff23\uff22\uff18\uff28'],
      ['with an invisible character from a web page', 'FGPPCB8H\u200b'],
      ['with a particle after it', 'FGPPCB8H로'],
      ['with a bracket after it', 'FGPPCB8H)'],
      ['with words before it', '코드: FGPP CB8H 입니다'],
      ['from a share link', 'https://shop-abcdefgh.example/r/fgppcb8h'],
      [
        'from a share link with a query',
        'https://share.example/r/FGPPCB8H?utm_source=kakao&rh_code=ABCDEFGH',
      ],
      ['from a share link in a sentence', '여기로 가입해 https://share.example/r/FGPPCB8H! ABCDEFGH'],
    ])('A code is read %s', (_, typed) => {
      expect(readReferralCode(typed)).toBe('FGPPCB8H');
    });

    it.each(['', 'FGPPCB8', 'FGPP.CB8H', 'https://share.example/r/'])('There is no code in "%s"', (typed) => {
      expect(readReferralCode(typed)).toBe('');
    });
  });

  describe('A search for members', () => {
    it.each([
      ['alice', ['alice']],
      ['alice ', ['alice ', 'alice']],
      ['\ufeff alice\u200b\n', ['\ufeff alice\u200b\n', 'alice']],
      ['kim min', ['kim min']],
      [' ', [' ']],
      ['\u200b', ['\u200b']],
    ])(
      'looks for ids that begin with %j as typed, and without outer blanks and invisible characters',
      (text, ids) => {
        expect(readMemberSearch(text).ids).toEqual(ids);
      },
    );

    it.each([
      'FGPPCB8H',
      'fgpp-cb8h',
      ' FGPP CB8H\t',
      'FGPP\u2013CB8H',
      '\uff26\uff27\uff30\uff30\uff23\uff22\uff18\uff28',
      'https://share.example/r/FGPPCB8H',
      'share.example/r/fgpp-cb8h?utm_source=kakao&rh_code=ABCDEFGH',
      '여기로 가입해 https://share.example/r/FGPPCB8H!',
    ])('looks for the code of %j', (text) => {
      expect(readMemberSearch(text).codes).toContain('FGPPCB8H');
    });

    it.each([
      '코드: FGPPCB8H',
      'FGPPCB8HX',
      'member-FGPPCB8H',
      'https://share.example/r/FGPPCB8HX',
      'share.example/r/',
    ])('looks for no code in %j, which is more than a code', (text) => {
      expect(readMemberSearch(text).codes).toEqual([text.toUpperCase()]);
    });
  });
});

describe('A derived identifier', () => {
  it('has the form of a random one, and never changes', () => {
    expect(deriveId('evt', 'rwd_1', 'reward.issue')).toBe('evt_HKn2SFgimuIn5uhxiNBrSX');
    expect(deriveId('rwd', '')).toMatch(/^rwd_[0-9A-Za-z]{22}$/);
  });

  it('differs when any part differs, wherever one part ends and the next begins', () => {
    const parts = [
      ['evt', 'a', 'b'],
      ['rwd', 'a', 'b'],
      ['evt', 'ab'],
      ['evt', 'a b'],
      ['evt', 'a","b'],
      ['evt', 'b', 'a'],
      ['evt', 'a', 'b', ''],
      ['evt', 'a'],
    ] as [string, ...string[]][];
    expect(new Set(parts.map(([prefix, ...rest]) => deriveId(prefix, ...rest).slice(4))).size).toBe(
      parts.length,
    );
  });

  it('uses all characters equally', () => {
    const counts = new Map(Array.from(base62, (character) => [character, 0]));
    for (let index = 0; index < 2_818; index += 1)
      for (const character of deriveId('evt', String(index)).slice(4))
        counts.set(character, (counts.get(character) ?? 0) + 1);
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0);
    expect(chiSquare).toBeLessThan(140);
  });
});
