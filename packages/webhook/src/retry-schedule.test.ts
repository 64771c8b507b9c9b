import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { nextDelayMs, parseRetryAfter, retrySchedule } from './retry-schedule.ts';

const never = (): number => 0;

describe('nextDelayMs', () => {
  it('follows the schedule of 11 attempts over 75 hours', () => {
    const delays = retrySchedule.map((_seconds, attemptsMade) =>
      nextDelayMs({ attemptsMade, random: never }),
    );
    expect(delays).toEqual(retrySchedule.map((seconds) => seconds * 1000));
    expect(retrySchedule).toHaveLength(11);
    expect(Math.floor(retrySchedule.reduce((sum, seconds) => sum + seconds) / 3600)).toBe(75);
  });

  it('ends after the last attempt, with or without Retry-After', () => {
    expect(nextDelayMs({ attemptsMade: 11 })).toBeUndefined();
    expect(nextDelayMs({ attemptsMade: 11, retryAfterSeconds: 60 })).toBeUndefined();
  });

  it('honours a Retry-After that is longer than the schedule, up to a day', () => {
    const after = (retryAfterSeconds: number): number | undefined =>
      nextDelayMs({ attemptsMade: 2, retryAfterSeconds, random: never });
    expect(after(30)).toBe(60_000);
    expect(after(3600)).toBe(3_600_000);
    expect(after(10_000_000)).toBe(86_400_000);
  });

  it('is never early and at most 10 % late', () => {
    fc.assert(
      fc.property(
        fc.nat(10),
        fc.nat(86_400),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (made, after, random) => {
          const least = Math.max(retrySchedule[made] ?? 0, after) * 1000;
          const delay =
            nextDelayMs({ attemptsMade: made, retryAfterSeconds: after, random: () => random }) ?? -1;
          expect(delay).toBeGreaterThanOrEqual(least);
          expect(delay).toBeLessThanOrEqual(Math.ceil(least * 1.1));
          expect(Number.isInteger(delay)).toBe(true);
        },
      ),
      { numRuns: propertyCases(100) },
    );
  });

  it('ends earlier with a shorter horizon and continues in steps of a day with a longer one', () => {
    const hours = (horizonHours: number | undefined): number[] => {
      const horizonMs = horizonHours === undefined ? undefined : horizonHours * 3_600_000;
      const delays: number[] = [];
      for (;;) {
        const delay = nextDelayMs({ attemptsMade: delays.length, horizonMs, random: never });
        if (delay === undefined) return delays.map((ms) => ms / 1000);
        delays.push(delay);
      }
    };
    expect(hours(1)).toEqual([0, 5, 60, 300, 1800]);
    expect(hours(3)).toEqual([0, 5, 60, 300, 1800, 7200]);
    expect(hours(0)).toEqual([0]);
    expect(hours(75)).toEqual(hours(undefined));
    expect(hours(99)).toEqual([...retrySchedule, 86_400]);
    expect(hours(720)).toEqual([...retrySchedule, ...Array<number>(27).fill(86_400)]);
  });

  it('never ends earlier with a longer horizon', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(720), fc.nat(720), (attemptsMade, hours, more) => {
        const [shorter, longer] = [hours, hours + more].map((h) =>
          nextDelayMs({ attemptsMade, horizonMs: h * 3_600_000, random: never }),
        );
        if (shorter !== undefined) expect(longer).toBe(shorter);
      }),
      { numRuns: propertyCases(100) },
    );
  });

  describe('followed by timers', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it.each([
      ['the schedule', undefined],
      ['12 hours', 12],
      ['30 days', 720],
    ])('makes every attempt of %s on time, at most 10 %% late', (_what, hours) => {
      const horizonMs = hours && hours * 3_600_000;
      const attempts: number[] = [];
      const began = Date.now();
      const plan = (): void => {
        const delay = nextDelayMs({ attemptsMade: attempts.length, horizonMs });
        if (delay !== undefined) setTimeout(attempt, delay);
      };
      const attempt = (): void => {
        attempts.push(Date.now() - began);
        plan();
      };
      plan();
      jest.runAllTimers();

      let due = 0;
      for (const [made, at] of attempts.entries()) {
        due += (retrySchedule[made] ?? 86_400) * 1000;
        expect(at).toBeGreaterThanOrEqual(due);
        expect(at).toBeLessThanOrEqual(due * 1.1 + attempts.length);
      }
      expect(attempts).toHaveLength(hours === 12 ? 7 : hours === 720 ? 38 : 11);
    });
  });
});

describe('parseRetryAfter', () => {
  const now = Date.UTC(1994, 10, 6, 8, 48, 37);

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

  it('returns whole seconds within its bounds, or undefined, for any text', () => {
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
      { numRuns: propertyCases(100) },
    );
  });
});
