import { jsonNestsDeeperThan } from '@rewardhook/contract';

/** What may have become of a body before somebody looked at it, and what to do about it. */
export interface BodyVariant {
  why: 'ok' | 'trailing_newline' | 're_serialized';
  body: string;
  fix: string;
}

/** An event has four levels. */
const maxLevels = 32;

const rawBytes =
  'The signature covers the bytes as they were sent. Take the raw body of the request, before anything parses it.';

/** The body as given, and as it may have been sent. `stored` is the text of the event that it claims to be. */
export function bodyVariants(body: string, stored: string | undefined): BodyVariant[] {
  const spaces = [body.replace(/\r?\n$/, ''), body.trim(), `${body}\n`, body.replaceAll('\r\n', '\n')];
  const written = compact(body);
  const variants: BodyVariant[] = [
    { why: 'ok', body, fix: '' },
    ...spaces.map((text) => ({
      why: 'trailing_newline' as const,
      body: text,
      fix: `It fits once the spaces or line breaks around the body are put right. ${rawBytes}`,
    })),
    ...[stored, written]
      .filter((text) => text !== undefined)
      .map((text) => ({
        why: 're_serialized' as const,
        body: text,
        fix: `The body was parsed and written again, and is not what was sent. ${rawBytes}`,
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

/** JSON that nests deeper than an event of ours is none of ours: writing it again would overflow the stack. */
function parse(body: string): unknown {
  if (jsonNestsDeeperThan(Buffer.from(body), maxLevels)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
