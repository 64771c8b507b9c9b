import { exceededLimit } from '@rewardhook/contract';

/** A body that may have been sent, and how to fix the cause of the difference. */
export interface BodyVariant {
  why: 'ok' | 'trailing_newline' | 're_serialized';
  body: string;
  fix: string;
}

/** An event has four levels. */
const maxLevels = 32;

const rawBytes =
  'The signature covers the exact bytes of the request. Use the raw body, before it is parsed.';

/** The given body, and the bodies that may have been sent. `stored` is the text of the event that it claims to be. */
export function bodyVariants(body: string, stored: string | undefined): BodyVariant[] {
  const spaces = [body.replace(/\r?\n$/, ''), body.trim(), `${body}\n`, body.replaceAll('\r\n', '\n')];
  const written = compact(body);
  const variants: BodyVariant[] = [
    { why: 'ok', body, fix: '' },
    ...spaces.map((text) => ({
      why: 'trailing_newline' as const,
      body: text,
      fix: `The signature matches after the spaces or line breaks around the body are corrected. ${rawBytes}`,
    })),
    ...[stored, written]
      .filter((text) => text !== undefined)
      .map((text) => ({
        why: 're_serialized' as const,
        body: text,
        fix: `The body was parsed and serialized again, so its bytes differ from those that were sent. ${rawBytes}`,
      })),
  ];
  return variants.filter(({ body: text }, index) => variants.findIndex((one) => one.body === text) === index);
}

/** The id of the event that a body claims to be. */
export function claimedEventId(body: string): string | undefined {
  const event = parse(body) as { id?: unknown } | null | undefined;
  const id = event?.id;
  return typeof id === 'string' && /^evt_\w{1,64}$/.test(id) ? id : undefined;
}

function compact(body: string): string | undefined {
  const value = parse(body);
  return value === undefined ? undefined : JSON.stringify(value);
}

/** JSON that is nested deeper than any of our events is ignored: serializing it could overflow the stack. */
function parse(body: string): unknown {
  if (exceededLimit(Buffer.from(body), { levels: maxLevels, values: Infinity })) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
