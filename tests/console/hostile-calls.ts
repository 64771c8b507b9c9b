import type { Route } from '../../apps/console/src/http/route.ts';
import { bodiesWith, pathWith } from './calls.ts';
import type { MerchantIds } from './merchant-with-data.ts';

/** Segments of a path, encoded as they are sent. */
const segments = [
  '%00',
  'a%00b',
  '%E0%A4%A',
  '%ED%A0%80',
  '%',
  '..%2f..%2f',
  '%20',
  '0',
  '-1',
  '1e400',
  '99999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  '%F0%9F%92%A9',
  '__proto__',
  'a'.repeat(3_000),
];

const cursor = (text: string) => Buffer.from(text).toString('base64url');
const cursors = [
  '0000-01-01T00:00:00.000000Z mer_1',
  '0000-01-01T00:00:00.000000Z 00000000-0000-0000-0000-000000000000',
  '2026-02-30T00:00:00.000000Z mer_1',
  '2026-02-30T00:00:00.000000Z 00000000-0000-0000-0000-000000000000',
  '2026-01-01T24:00:00.000001Z mer_1',
  '99999-01-01T00:00:00.000000Z mer_1',
  '2026-01-01T00:00:00.000000Z a\0b',
  'no time',
];

/** Values of a query, encoded as they are sent. */
const texts = [
  ...['\0', '', '0', '-1', '1e400', '99999999999999999999', "'", '\\', 'a'.repeat(3_000)].map(
    encodeURIComponent,
  ),
  ...[
    '2026-02-30',
    '0000-01-01',
    '99999-01-01',
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+15:59',
    '9999-12-31T23:59:59-15:59',
  ].map(encodeURIComponent),
  '%E0%A4%A',
  '%ED%A0%80',
  '1&NAME=2',
  '1&NAME[x]=2&NAME[__proto__]=3',
];

/** Values of a field of a body; undefined leaves it out. */
const values: unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  1e300,
  2 ** 53,
  '',
  'a\0b',
  '\ud800',
  'a'.repeat(3_000),
  '2026-02-30T00:00:00Z',
  '0001-01-01T00:00:00+15:59',
  ['\0'],
  [null],
  { '\0': '\0' },
];

/** A call of a route with one hostile value. */
export interface HostileCall {
  method: string;
  path: string;
  body?: unknown;
}

/** Calls every route with hostile values in each input: the parameters of its path and the fields of its query and body. */
export function hostileCalls(
  routes: Route[],
  ids: MerchantIds,
  own: { email: string; password: string },
): HostileCall[] {
  const bodies = bodiesWith(ids, own);
  return routes.flatMap(({ method, path, body, query }) => {
    const known = bodies[`${method} ${path}`];
    const usual = pathWith(path, ids);
    const inPath = path.includes(':')
      ? segments.map((segment) => ({ path: path.replace(/:\w+/, segment), body: known }))
      : [];
    const inQuery = keysOf(query).flatMap((key) =>
      [...texts, ...(key === 'after' ? cursors.map(cursor) : [])].map((text) => ({
        path: `${usual}?${key}=${text.replaceAll('NAME', key)}`,
        body: undefined,
      })),
    );
    const good = Object.fromEntries(keysOf(body).map((key) => [key, known?.[key]]));
    // Routes that give the browser another session, or none, would invalidate the other calls.
    const inBody =
      body && !sessions.has(path)
        ? [[], {}, ...variants(good, values)].map((sent) => ({ path: usual, body: sent }))
        : [];
    return [...inPath, ...inQuery, ...inBody].map((call) => ({ method, ...call }));
  });
}

const sessions = new Set(['/sign-out', '/sign-up', '/sign-in', '/session/merchant', '/password']);

const keysOf = (schema: Route['query']) => Object.keys((schema?.describe() as { keys?: object })?.keys ?? {});

/** Copies of a body in which one field, at any depth, has one of the values. */
function variants(good: unknown, wrong: unknown[]): unknown[] {
  if (typeof good !== 'object' || good === null) return [];
  return Object.entries(good).flatMap(([key, value]) => [
    ...wrong.map((one) => ({ ...good, [key]: one })),
    ...variants(value, wrong).map((inner) => ({ ...good, [key]: inner })),
  ]);
}
