import fc from 'fast-check';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(1994, 10, 6, 8, 48, 37);

describe('parseRetryAfter', () => {
  it.each([
    ['seconds', '120', 120],
    ['seconds with spaces', ' 7 ', 7],
    ['more than a day', '86401', 86_400],
    ['a number beyond numbers', '9'.repeat(400), 86_400],
    ['an IMF date', 'Sun, 06 Nov 1994 08:49:37 GMT', 60],
    ['an RFC 850 date', 'Sunday, 06-Nov-94 08:49:37 GMT', 60],
    ['an asctime date', 'Sun Nov  6 08:49:37 1994', 60],
    ['a date years ahead', 'Wed, 06 Nov 2030 08:49:37 GMT', 86_400],
  ])('reads %s', (_form, header, seconds) => expect(parseRetryAfter(header, now)).toBe(seconds));

  it.each([
    undefined,
    '',
    '0',
    '-5',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5 minutes',
    'soon',
    'Infinity',
    'NaN',
    '١٢',
    'Sun, 06 Nov 1994 08:47:37 GMT',
    'Sun, 99 Nov 1994 08:49:37 GMT',
    '1994-11-06T08:49:37Z',
    '120, 60',
  ])('ignores %s', (header) => expect(parseRetryAfter(header, now)).toBeUndefined());

  it('gives whole seconds within its bounds, or nothing, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const seconds = parseRetryAfter(header, now) ?? 1;
          expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400).toBe(true);
        },
      ),
    );
  });
});
