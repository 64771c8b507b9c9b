import { seenInMemory } from './seen-deliveries.ts';

describe('seenInMemory', () => {
  it('forgets the oldest when it is full, and what it is told to', async () => {
    const seen = seenInMemory({ maxDeliveries: 2 });
    const answers = [];
    for (const id of ['a', 'b', 'a', 'c', 'a']) answers.push(await seen.firstTime(id));
    expect(answers).toEqual([true, true, false, true, true]);
    await seen.forget('c');
    expect(await seen.firstTime('c')).toBe(true);
  });
});
