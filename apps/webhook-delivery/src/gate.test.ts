import { openGate } from './gate.ts';

/** Who has come in by now. */
async function arrivals(entering: Promise<unknown>[]): Promise<number> {
  let inside = 0;
  for (const one of entering) void one.then(() => (inside += 1));
  await new Promise((resolve) => void setImmediate(resolve));
  return inside;
}

describe('a gate', () => {
  it('lets in as many as there are places, and the next ones in their order as others leave', async () => {
    const gate = openGate({ places: 2, heldMs: 60_000 });
    const order: number[] = [];
    const entering = [0, 1, 2, 3].map(async (one) => {
      const leave = await gate.enter();
      order.push(one);
      return leave;
    });
    expect(await arrivals(entering)).toBe(2);
    (await entering[0])?.();
    (await entering[0])?.();
    expect(await arrivals(entering)).toBe(3);
    (await entering[1])?.();
    (await entering[2])?.();
    expect(await arrivals(entering)).toBe(4);
    (await entering[3])?.();
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it('does not wait for one that never leaves', async () => {
    const gate = openGate({ places: 1, heldMs: 20 });
    await gate.enter();
    const leave = await gate.enter();
    leave();
  });
});
