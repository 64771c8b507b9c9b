import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { DateTime } from 'luxon';
import { formatOffset, localOffsetOf } from './time-zone.ts';

const HOUR = 3600;

function offsetAt(timeZone: string, local: string): number {
  return localOffsetOf(timeZone)(Date.parse(`${local}Z`));
}

describe('localOffsetOf', () => {
  it('The offset differs between winter and summer', () => {
    expect(offsetAt('America/New_York', '2026-01-15T12:00')).toBe(-5 * HOUR);
    expect(offsetAt('America/New_York', '2026-07-15T12:00')).toBe(-4 * HOUR);
  });

  it('The offset changes at the exact second', () => {
    expect(offsetAt('America/New_York', '2026-03-08T01:59:59')).toBe(-5 * HOUR);
    expect(offsetAt('America/New_York', '2026-03-08T03:00:00')).toBe(-4 * HOUR);
    expect(offsetAt('America/New_York', '2026-11-01T00:59:59')).toBe(-4 * HOUR);
    expect(offsetAt('America/New_York', '2026-11-01T02:00:00')).toBe(-5 * HOUR);
    // In Greenland this is late in the evening, the next day in UTC.
    expect(offsetAt('America/Nuuk', '2022-03-26T21:59:59')).toBe(-3 * HOUR);
    expect(offsetAt('America/Nuuk', '2022-03-26T23:00:00')).toBe(-2 * HOUR);
  });

  it.each([
    ['America/New_York', '2026-03-08T02:30'],
    ['Europe/London', '2026-03-29T01:30'],
    ['Australia/Lord_Howe', '2026-10-04T02:15'],
    ['America/Nuuk', '2022-03-26T22:30'],
    ['Pacific/Apia', '2011-12-30T12:00'],
  ])('A time in a gap of %s is resolved as in luxon', (zone, local) => {
    const instant = Date.parse(`${local}Z`) - offsetAt(zone, local) * 1000;
    expect(instant).toBe(DateTime.fromISO(local, { zone }).toMillis());
  });

  it('A time that occurs twice is the earlier instant', () => {
    expect(offsetAt('America/New_York', '2026-11-01T01:30')).toBe(-4 * HOUR);
    expect(offsetAt('Europe/London', '2026-10-25T01:30')).toBe(HOUR);
  });

  it('A local time that occurs once has the same offset as in luxon', () => {
    const zones = [
      'Asia/Seoul',
      'America/New_York',
      'Europe/Dublin',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
    ];
    const locals = fc.integer({ min: Date.UTC(1900, 0, 1) / 1000, max: Date.UTC(2100, 0, 1) / 1000 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), locals, (zone, seconds) => {
        const local = new Date(seconds * 1000).toISOString().slice(0, 19);
        const expected = DateTime.fromISO(local, { zone });
        fc.pre(expected.getPossibleOffsets().length === 1 && expected.toISO()?.slice(0, 19) === local);
        expect(offsetAt(zone, local)).toBe(Math.round(expected.offset * 60));
      }),
      { numRuns: propertyCases(1000) },
    );
  });

  it('Offsets are correct when more days are read than the cache holds', () => {
    const offset = localOffsetOf('Europe/Paris');
    for (let day = 0; day < 10_000; day++) offset(Date.UTC(2000, 0, day));
    expect(offset(Date.UTC(2026, 0, 15))).toBe(HOUR);
    expect(offset(Date.UTC(2026, 6, 15))).toBe(2 * HOUR);
  });

  it('The offset of a day is computed once, whether the clock changes on it or not', () => {
    // A getter, unlike in its type.
    const prototype = Intl.DateTimeFormat.prototype as unknown as { readonly format: object };
    const computations = jest.spyOn(prototype, 'format', 'get');
    try {
      // No other test reads days of this zone, which would be cached.
      const offset = localOffsetOf('Europe/Rome');
      for (const [year, month, day] of [
        [1987, 3, 29],
        [1987, 4, 1],
      ] as const) {
        computations.mockClear();
        for (let second = 0; second < 86_400; second += 7)
          offset(Date.UTC(year, month - 1, day, 0, 0, second));
        expect(computations.mock.calls.length).toBeLessThanOrEqual(12);
        expect(computations.mock.calls.length).toBeGreaterThan(1);
      }
    } finally {
      computations.mockRestore();
    }
  });

  it.each([
    ['Asia/Seoul', '1987-05-10T01:59:59', 9],
    ['Asia/Seoul', '1987-05-10T03:00:00', 10],
    ['Asia/Seoul', '1987-10-11T01:59:59', 10],
    ['Asia/Seoul', '1987-10-11T03:00:00', 9],
    ['Asia/Seoul', '1908-03-31T23:59:59', 8 + 1672 / HOUR],
    ['Asia/Seoul', '1908-04-01T00:02:08', 8.5],
  ])('In %s the offset at %s is %d hours', (zone, local, hours) => {
    expect(offsetAt(zone, local)).toBe(Math.round(hours * HOUR));
  });

  it.each(['', 'Mars/Olympus', 'Asia/Seoul; drop'])('The unknown zone "%s" throws a RangeError', (zone) => {
    expect(() => localOffsetOf(zone)).toThrow(RangeError);
  });
});

describe('formatOffset', () => {
  it.each([
    [0, '+00:00'],
    [9 * HOUR, '+09:00'],
    [-9.5 * HOUR, '-09:30'],
    [30472, '+08:27:52'],
    [-44, '-00:00:44'],
  ])('%d seconds are formatted as %s', (seconds, text) => {
    expect(formatOffset(seconds)).toBe(text);
  });
});
