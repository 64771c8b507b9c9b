/*
 * Values that have broken servers. Whatever a generated request has broken here is added: to the list of its place, or as a complete
 * request to `requests.ts`.
 */

/** Names that every object has, or that change what it inherits. */
export const inheritedNames = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  '__defineGetter__',
  '__lookupSetter__',
];

/** Date-times that do not exist, are at the end of a range, or have no order in the clock of a place. */
const times = [
  '2026-02-30T00:00:00Z',
  '0001-01-01T00:00:00+15:59',
  '9999-12-31T23:59:59-15:59',
  '2026-02-30',
  '0000-01-01',
  '99999-01-01',
  '0000-01-01T00:00:00Z',
  '1988-05-08T02:30:00',
  '2026-11-21T24:00:00Z',
  '1969-12-31T23:59:59Z',
  '20261121T100000,123456789+0900',
  '2026-11-21T10:00:60Z',
  '+002026-11-21T10:00Z',
];

const longTexts = ['a'.repeat(255), 'a'.repeat(256), '가'.repeat(255), '🍵'.repeat(255), 'a'.repeat(3_000)];

/** Texts, as a client would have them before it encodes them. */
const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202etea',
  '\u0001',
  '\u2028',
  "'",
  '"',
  '\\',
  '%',
  '%00',
  '../..',
  '{}',
  '[]',
  'null',
  'undefined',
  'NaN',
  '0',
  '-1',
  '1e400',
  '99999999999999999999',
  '-0',
  '00000000-0000-0000-0000-000000000000',
  "'; DROP TABLE orders; --",
  '<script>alert(1)</script>',
  '=1+1',
  '${1}',
  '{{1}}',
  'a\r\nb: c',
  'é',
  'e\u0301',
  ...times,
  ...longTexts,
  ...inheritedNames,
];

/** Values of a field; undefined leaves it out. */
export const values: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e300,
  1e-7,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 31,
  2 ** 63,
  -(2 ** 53),
  [],
  {},
  [[]],
  [null],
  ['\0'],
  { '\0': '\0' },
  nested(60),
  nested(2_000),
  ...inheritedNames.slice(0, 3).map((name) => ({ [name]: { [name]: 1 } })),
  ...texts,
];

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;
}

/** Segments of a path, as they are sent. */
export const segments = [
  '%00',
  'a%00b',
  '%E0%A4%A',
  '%ED%A0%80',
  '%',
  '..%2f..%2f',
  '%2e%2e',
  '%20',
  '0',
  '-1',
  '1e400',
  '%F0%9F%92%A9',
  '99999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  'a'.repeat(3_000),
  ';x=1',
  '%252e',
  'a%2Fb',
  ...inheritedNames,
];

/** Values of a query, as they are sent; NAME is that of the parameter. */
export const queryValues = [
  ...texts.filter((text) => !text.includes('\ud800')).map((text) => encodeURIComponent(text)),
  '%E0%A4%A',
  '%ED%A0%80',
  '1&NAME=2',
  '1&NAME[x]=2&NAME[__proto__]=3',
  '1&NAME[]=2',
  '%',
  '+',
  ...[
    '0000-01-01T00:00:00.000000Z mer_1',
    '0000-01-01T00:00:00.000000Z 00000000-0000-0000-0000-000000000000',
    '2026-02-30T00:00:00.000000Z 00000000-0000-0000-0000-000000000000',
    '2026-01-01T24:00:00.000001Z mer_1',
    '99999-01-01T00:00:00.000000Z mer_1',
    '2026-01-01T00:00:00.000000Z a\0b',
    'no time',
  ].map((cursor) => Buffer.from(cursor).toString('base64url')),
];

/** Bodies that are not what the type of the content says, or that are hard to read. */
export const bodies = [
  '',
  ' ',
  '{',
  '[]',
  'null',
  '1',
  '"tea"',
  '{"a":1}}',
  '\ufeff{}',
  '{"orders":',
  "{'orders':[]}",
  '\0',
  '{"a":\ud800}',
  '['.repeat(20_000) + ']'.repeat(20_000),
  '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
  `{${'"order_id":"a",'.repeat(20_000)}"orders":[]}`,
  `{${'"__proto__":{"a":1},'.repeat(20_000)}"orders":[]}`,
  `{"x":${'9'.repeat(200_000)},"orders":[]}`,
  `{"x":"${String.raw`\u0041`.repeat(50_000)}","orders":[]}`,
  `{"orders":[${'{},'.repeat(2_000)}{}]}`,
];

/** Headers that a server looks something up by, with a name that every object has, and others that are hard to read. */
export const headers: readonly Record<string, string>[] = [
  ...inheritedNames.flatMap((name): Record<string, string>[] => [
    { 'content-encoding': name },
    { 'transfer-encoding': 'chunked', 'content-encoding': name },
    { 'content-type': name },
    { 'content-type': `application/json; charset=${name}` },
    { 'content-type': `application/${name}` },
    { accept: name },
    { 'accept-encoding': name },
    { 'accept-language': name },
    { prefer: name },
    { prefer: `handling=${name}` },
    { 'if-none-match': name },
    { range: name },
    { origin: `https://${name}.example` },
    { 'access-control-request-method': name },
    { 'access-control-request-headers': name },
    { traceparent: name },
    { 'x-request-id': name },
    { 'x-forwarded-for': name },
    { 'x-forwarded-proto': name },
    { cookie: `${name}=${name}` },
    { authorization: `${name} ${name}` },
    { 'x-service-key': name },
    { 'x-service-key': `svc_sk_${name}` },
    { 'sec-fetch-site': name },
    { [name]: name },
    { 'idempotency-key': name },
  ]),

  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-encoding': 'gzip' },

  { 'content-encoding': 'br, gzip' },
  { expect: '100-continue' },
  { host: 'a b' },
  { host: '' },
  { cookie: '=;;=%' },

  { 'x-request-id': 'a'.repeat(5_000) },
  { traceparent: '00-00000000000000000000000000000000-0000000000000000-01' },

  { 'idempotency-key': '' },
  { 'idempotency-key': 'a'.repeat(300) },
  { 'if-none-match': '"'.repeat(1_000) },
];
