import { countFailedLogins } from './failed-logins.ts';

describe('the count of failed logins', () => {
  it('closes the address that failed, and no other, until its minute is over', () => {
    let now = 0;
    const failed = countFailedLogins(() => now);
    for (let tries = 0; tries < 10; tries += 1) {
      expect(failed.secondsToWait('a')).toBe(0);
      failed.add('a');
      now += 1_000;
    }
    expect(failed.secondsToWait('a')).toBe(50);
    expect(failed.secondsToWait('b')).toBe(0);
    now = 60_000;
    expect(failed.secondsToWait('a')).toBe(0);
    failed.add('a');
    expect(failed.secondsToWait('a')).toBe(0);
  });

  it('forgets the oldest address rather than grow without end', () => {
    const failed = countFailedLogins(() => 0);
    const fail = (address: string) => {
      for (let tries = 0; tries < 10; tries += 1) failed.add(address);
    };
    fail('first');
    fail('second');
    for (let other = 0; other < 9_999; other += 1) failed.add(`other ${other}`);
    expect(failed.secondsToWait('first')).toBe(0);
    expect(failed.secondsToWait('second')).toBe(60);
  });
});
