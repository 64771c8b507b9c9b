import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ApiError } from './api-error.ts';
import { openGate } from './gate.ts';
import type { Entry } from './gate.ts';

const small = 100;
const large = 65_537;

/** Whether a promise is settled after the next iterations of the event loop. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let iteration = 0; iteration < 3; iteration += 1) await yieldToEventLoop();
  return settled;
}

describe('the gate', () => {
  it('Requests of a merchant get places in their order, and merchants alternate', async () => {
    const gate = openGate(1);
    const first = await gate.enter('a', small);
    const order: string[] = [];
    const enter = (merchantId: string, name: string) =>
      gate.enter(merchantId, small).then((entry) => {
        order.push(name);
        entry.end();
      });
    const waiting = [enter('a', 'a1'), enter('a', 'a2'), enter('b', 'b1'), enter('b', 'b2')];
    expect([gate.inProgress(), gate.waiting()]).toEqual([1, 4]);
    first.end();
    first.end();
    await Promise.all(waiting);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect([gate.inProgress(), gate.waiting()]).toEqual([0, 0]);
  });

  it('A request that waits for five seconds is refused with 503, and the next ones get their places', async () => {
    const gate = openGate(1);
    const entry = await gate.enter('a', small);
    const startedAt = performance.now();
    const refused = gate.enter('a', large);
    await expect(refused).rejects.toMatchObject({ code: 'service_unavailable', refusal: 'overload' });
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    entry.end();
    (await gate.enter('a', large)).end();
    expect([gate.inProgress(), gate.waiting()]).toEqual([0, 0]);
  });

  it('Of large bodies one is validated at a time, merchants alternate, and small ones do not wait', async () => {
    const gate = openGate(8);
    const first = await gate.enter('a', large);
    const ofA = gate.enter('a', large);
    const alsoOfA = gate.enter('a', large);
    const ofB = gate.enter('b', large);
    (await gate.enter('b', small)).end();
    expect(await isSettled(ofA)).toBe(false);
    first.validated();
    const second: Entry = await ofA;
    expect(await isSettled(ofB)).toBe(false);
    second.end();
    (await ofB).end();
    (await alsoOfA).end();
    first.end();
    expect(gate.inProgress()).toBe(0);
  });

  it('While many requests of a merchant wait, and the oldest too long, its next ones are refused before their bodies are read', async () => {
    const gate = openGate(1);
    const entry = await gate.enter('a', small);
    const late = performance.now() + 250;
    const waiting = Array.from({ length: 63 }, () => gate.enter('a', small));
    while (performance.now() < late) await yieldToEventLoop();
    expect(() => gate.check('a', small)).not.toThrow();
    waiting.push(gate.enter('a', small));
    expect(() => gate.check('a', small)).toThrow(ApiError);
    // Its large ones wait in another queue, and so do those of another merchant.
    expect(() => gate.check('a', large)).not.toThrow();
    expect(() => gate.check('b', small)).not.toThrow();
    entry.end();
    for (const next of waiting) (await next).end();
    expect(() => gate.check('a', small)).not.toThrow();
  });

  it('A burst of requests is not refused', async () => {
    const gate = openGate(1);
    const entry = await gate.enter('a', small);
    const waiting = Array.from({ length: 100 }, () => gate.enter('a', small));
    expect(() => gate.check('a', small)).not.toThrow();
    entry.end();
    for (const next of waiting) (await next).end();
  });

  it('Small requests of a merchant do not wait for its large ones', async () => {
    const gate = openGate(8);
    const first = await gate.enter('a', large);
    const next = gate.enter('a', large);
    (await gate.enter('a', small)).end();
    expect(await isSettled(next)).toBe(false);
    first.end();
    (await next).end();
  });

  it('Bytes that a body does not need, and those of a request that has ended, are released', () => {
    const gate = openGate(1);
    const owner = { merchantId: 'a', kind: 'secret' } as const;
    const mebibytes = (count: number) => count * 1_048_576;
    const held = Array.from({ length: 4 }, () => gate.reserve(owner, mebibytes(2)));
    expect(() => gate.reserve(owner, 1)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    held[0]?.reduceTo(mebibytes(1));
    held.push(gate.reserve(owner, mebibytes(1)));
    expect(gate.reserved()).toBe(mebibytes(8));
    for (const reservation of held) reservation.reduceTo(0);
    held[0]?.reduceTo(0);
    expect(gate.reserved()).toBe(0);
  });
});
