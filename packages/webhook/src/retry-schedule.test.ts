import fc from 'fast-check';
import { nextDelayMs, retrySchedule } from './retry-schedule.ts';

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

  it('ends after the last attempt, Retry-After or not', () => {
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
    );
  });
});
