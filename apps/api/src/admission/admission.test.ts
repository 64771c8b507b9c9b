import fc from 'fast-check';
import { openAdmission } from './admission.ts';
import type { Admission } from './admission.ts';

const limits = { inProgress: 2, burstWaitMs: 500, overloadWaitMs: 100, standingWaitMs: 50, calmMs: 2_000 };

describe('The admission of requests', () => {
  let admission: Admission;
  beforeEach(() => {
    jest.useFakeTimers();
    admission = openAdmission(limits);
  });
  afterEach(() => jest.useRealTimers());

  /** Enters a request and records what happens to it under its name. */
  function enter(name: string, merchantId: string, log: string[]): { end(): void } {
    let end: (() => void) | undefined;
    admission.enter(merchantId).then(
      (admitted) => {
        log.push(name);
        end = () => admitted.end();
      },
      (error: { code: string; refusal: string }) =>
        log.push(`${name} refused: ${error.code}, ${error.refusal}`),
    );
    return { end: () => end?.() };
  }
  const settle = () => jest.advanceTimersByTimeAsync(0);

  it('Requests above the limit wait until another one is handled', async () => {
    const log: string[] = [];
    const [first] = [enter('1', 'a', log), enter('2', 'a', log), enter('3', 'a', log)];
    await settle();
    expect([log, admission.inProgress(), admission.waiting()]).toEqual([['1', '2'], 2, 1]);
    first.end();
    first.end();
    await settle();
    expect([log, admission.inProgress(), admission.waiting()]).toEqual([['1', '2', '3'], 2, 0]);
  });

  it('Merchants are served round robin, so one with many waiting requests delays another by one request', async () => {
    const log: string[] = [];
    const running = [enter('a1', 'a', log), enter('a2', 'a', log), enter('b1', 'b', log)];
    for (const name of ['a3', 'a4', 'a5']) enter(name, 'a', log);
    enter('b2', 'b', log);
    await settle();
    for (const { end } of running) end();
    await settle();
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
  });

  it('A merchant with a few requests does not wait for those of another, up to half of the limit more', async () => {
    const log: string[] = [];
    for (const name of ['a1', 'a2', 'a3']) enter(name, 'a', log);
    const few = enter('b1', 'b', log);
    enter('c1', 'c', log);
    await settle();
    expect([log, admission.inProgress(), admission.waiting()]).toEqual([['a1', 'a2', 'b1'], 3, 2]);
    few.end();
    enter('d1', 'd', log);
    await settle();
    expect([log, admission.inProgress()]).toEqual([['a1', 'a2', 'b1', 'd1'], 3]);
  });

  it('Requests that wait are admitted while others with a few requests are in progress, also under a load that does not end', async () => {
    admission = openAdmission({ ...limits, inProgress: 4 });
    const log: string[] = [];
    const many = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => enter(name, 'a', log));
    enter('b1', 'b', log);
    enter('c1', 'c', log);
    await jest.advanceTimersByTimeAsync(480);
    enter('a6', 'a', log);
    await jest.advanceTimersByTimeAsync(80);
    expect(log).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'a5 refused: service_unavailable, overload']);
    for (const { end } of many.slice(0, 4)) end();
    await settle();
    expect([log.at(-1), admission.inProgress(), admission.waiting()]).toEqual(['a6', 3, 0]);
  });

  it('A burst may wait for half a second, and what waits longer is refused while nothing is handled', async () => {
    const log: string[] = [];
    for (const name of ['1', '2', '3']) enter(name, 'a', log);
    await jest.advanceTimersByTimeAsync(499);
    expect(admission.waiting()).toBe(1);
    await jest.advanceTimersByTimeAsync(101);
    expect(log).toEqual(['1', '2', '3 refused: service_unavailable, overload']);
    expect(() => admission.check('a')).not.toThrow();
  });

  it('A request that has waited for too long before its work begins is refused while others wait', async () => {
    const log: string[] = [];
    const early = await admission.enter('a');
    const second = enter('2', 'a', log);
    await jest.advanceTimersByTimeAsync(450);
    enter('3', 'a', log);
    await jest.advanceTimersByTimeAsync(50);
    expect(() => early.refuseIfLate()).not.toThrow();
    await jest.advanceTimersByTimeAsync(1);
    expect(() => early.refuseIfLate()).toThrow(expect.objectContaining({ code: 'service_unavailable' }));
    // Nothing waits any more, so it is handled however late it is.
    second.end();
    await settle();
    expect(log).toEqual(['2', '3']);
    expect(() => early.refuseIfLate()).not.toThrow();
  });

  it('When a request was refused, the next burst may wait for less, until none was refused for two seconds', async () => {
    const log: string[] = [];
    const running = [enter('1', 'a', log), enter('2', 'a', log)];
    const enterAndWait = async (name: string, ms: number) => {
      enter(name, 'a', log);
      await jest.advanceTimersByTimeAsync(ms);
    };
    await enterAndWait('3', 600);
    await enterAndWait('4', 90);
    expect(admission.waiting()).toBe(1);
    await jest.advanceTimersByTimeAsync(60);
    expect(log).toEqual([
      '1',
      '2',
      ...['3', '4'].map((name) => `${name} refused: service_unavailable, overload`),
    ]);
    await jest.advanceTimersByTimeAsync(2_000);
    await enterAndWait('5', 490);
    expect(admission.waiting()).toBe(1);
    for (const { end } of running) end();
    await settle();
    expect(log.at(-1)).toBe('5');
  });

  it('Under a load that does not end, requests wait 50 ms at most, and the others are refused before their bodies are read', async () => {
    const log: string[] = [];
    const running: (() => void)[] = [];
    let refusedEarly = 0;
    // Ten requests arrive in the time that one takes.
    for (let ms = 0; ms < 2_000; ms += 1) {
      if (ms % 10 === 0) running.shift()?.();
      try {
        admission.check('a');
        admission.enter('a').then(
          ({ end }) => running.push(end),
          () => log.push('refused late'),
        );
      } catch {
        refusedEarly += 1;
      }
      await jest.advanceTimersByTimeAsync(1);
    }
    expect(refusedEarly).toBeGreaterThan(1_500);
    expect([admission.inProgress(), admission.waiting() <= 10]).toEqual([1, true]);
    // Another merchant is still admitted.
    expect(() => admission.check('b')).not.toThrow();
    // When the load ends, the next requests are admitted.
    while (running.length > 0) {
      running.shift()?.();
      await settle();
    }
    expect([admission.inProgress(), admission.waiting()]).toEqual([0, 0]);
    expect(() => admission.check('a')).not.toThrow();
  });

  it('Whatever arrives and ends: no request waits while none is handled, none is forgotten, and a merchant keeps its order', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), merchant: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('end' as const), which: fc.nat(9) }),
      fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        admission = openAdmission(limits);
        const admitted: { merchant: string; number: number; end(): void }[] = [];
        const settled = new Set<number>();
        const order: Record<string, number[]> = { a: [], b: [], c: [] };
        let entered = 0;
        for (const one of steps) {
          if (one.kind === 'enter') {
            const number = entered;
            entered += 1;
            const { merchant } = one;
            admission.enter(merchant).then(
              ({ end }) => {
                settled.add(number);
                order[merchant]?.push(number);
                admitted.push({ merchant, number, end });
              },
              () => settled.add(number),
            );
          } else if (one.kind === 'end') admitted.splice(one.which, 1)[0]?.end();
          else await jest.advanceTimersByTimeAsync(one.ms);
          await settle();
          expect(admission.inProgress()).toBe(admitted.length);
          expect(admission.inProgress()).toBeLessThanOrEqual(1.5 * limits.inProgress);
          if (admission.waiting() > 0) expect(admission.inProgress()).toBeGreaterThan(0);
        }
        await jest.advanceTimersByTimeAsync(1_000);
        expect(settled.size).toBe(entered);
        for (const numbers of Object.values(order))
          expect(numbers).toEqual(numbers.toSorted((x, y) => x - y));
      }),
      { numRuns: 100 },
    );
  });
});
