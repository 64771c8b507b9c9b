import { afterFailure, afterSuccess, disabledAt, rampUp } from './circuit-breaker.ts';
import { healthy } from '../testing/healthy.ts';

const noon = Date.UTC(2026, 10, 21, 12);
const at = (seconds: number) => new Date(noon + seconds * 1_000);
const random = () => 0.5;
/** Failures at these seconds, one after the other. */
const failing = (seconds: number[], start = healthy) =>
  seconds.reduce(({ health }, second) => afterFailure(health, at(second), { probe: false, random }), {
    health: start,
  } as ReturnType<typeof afterFailure>);
const opened = failing([0, 1, 2, 3, 4, 5, 6]);

describe('The circuit breaker', () => {
  it('opens at the seventh failure in a row within two minutes', () => {
    expect(failing([0, 1, 2, 3, 4, 5])).not.toHaveProperty('stage');
    expect(opened).toMatchObject({ stage: 'opened', health: { breakerOpenedAt: at(6) } });
  });

  it('stays closed while the retries of the two events of one order fail on schedule', () => {
    const schedule = [0, 5, 65, 365, 2_165, 9_365, 27_365];
    expect(failing(schedule.flatMap((second) => [second, second])).health.breakerOpenedAt).toBeNull();
  });

  it('stays closed when there is a success between the failures', () => {
    const { health } = afterSuccess(failing([0, 1, 2, 3, 4, 5]).health);
    expect(health).toEqual(healthy);
    expect(failing([6, 7, 8], health)).not.toHaveProperty('stage');
  });

  it('is probed after ten seconds, then at growing intervals, and in the end every ten minutes', () => {
    let { health, probeInSeconds } = opened;
    const waits = [probeInSeconds];
    for (let probe = 0; probe < 7; probe += 1) {
      ({ health, probeInSeconds } = afterFailure(health, at(10 + probe), { probe: true, random: () => 0 }));
      waits.push(probeInSeconds);
    }
    expect(waits).toEqual([10.5, 30, 60, 120, 300, 600, 600, 600]);
    expect(health.probesFailed).toBe(7);
  });

  it('does not count a request that was still in flight when it opened as a probe', () => {
    const late = afterFailure(opened.health, at(7), { probe: false });
    expect(late).not.toHaveProperty('probeInSeconds');
    expect(late.health).toMatchObject({ probesFailed: 0, failuresInARow: 8 });
  });

  it('becomes half-open with a success, doubles its rate, and opens again at the third failure while half-open', () => {
    const { health, stage } = afterSuccess(opened.health);
    expect(stage).toBe('closed');
    expect(health).toEqual({ ...healthy, rampPerSecond: 10 });
    const rates: (number | null)[] = [];
    for (let one = health; one.rampPerSecond !== null; one = rampUp(one)) rates.push(one.rampPerSecond);
    expect(rates).toEqual([10, 20, 40, 80, 160, 320, 640]);
    expect(failing([20, 21], health)).not.toHaveProperty('stage');
    expect(failing([20, 21, 22], health)).toMatchObject({ stage: 'opened' });
  });
});

describe('An endpoint whose attempts all fail for five days', () => {
  const day = 86_400;
  const everyHours = (hours: number, days: number) =>
    Array.from({ length: Math.floor((days * 24) / hours) + 1 }, (_, step) => step * hours * 3_600);

  it('is warned about once at half of the time and disabled at the end', () => {
    let health = healthy;
    const stages: string[] = [];
    for (const second of everyHours(6, 5)) {
      const next = afterFailure(health, at(second), { probe: false });
      health = next.health;
      if (next.stage) stages.push(`${next.stage} on day ${second / day}`);
    }
    expect(stages).toEqual(['warned on day 2.5', 'disabled on day 5']);
    expect(disabledAt(at(0))).toEqual(at(5 * day));
  });

  it('starts its five days again after a success', () => {
    const { health } = afterSuccess(failing(everyHours(12, 4)).health);
    expect(failing([4.5 * day, 6 * day], health)).not.toHaveProperty('stage');
  });

  it('starts its five days again after two days without a failure', () => {
    expect(failing([0, 20 * day]).health).toMatchObject({ failingSince: at(20 * day), failuresInARow: 1 });
  });
});
