import { limitRepeats } from './limit-repeats.ts';

describe('The lines of an outage', () => {
  it('A line like an earlier one is written every ten seconds, with the number of lines left out', () => {
    const decide = limitRepeats();
    expect(decide('error', 'lost', 0)).toEqual({ write: true, suppressed: 0 });
    for (let now = 1; now < 10_000; now += 1) expect(decide('error', 'lost', now).write).toBe(false);
    expect(decide('error', 'lost', 10_000)).toEqual({ write: true, suppressed: 9_999 });
  });

  it('Different warnings are written at once up to a burst, and then one every two seconds', () => {
    const decide = limitRepeats();
    let written = 0;
    for (let now = 0; now < 30_000; now += 10) if (decide('warn', `line ${now}`, now).write) written += 1;
    expect(written).toBeLessThanOrEqual(30);
    expect(written).toBeGreaterThan(20);
    expect(decide('error', 'the reason', 30_000).write).toBe(true);
  });
});
