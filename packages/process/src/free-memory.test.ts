import { freeMemory } from './free-memory.ts';

describe('freeMemory', () => {
  it('empties a buffer with memory of its own', () => {
    const bytes = Buffer.alloc(60_000, 'a');
    freeMemory(bytes);
    expect(bytes).toHaveLength(0);
    freeMemory(bytes);
  });

  it.each([
    ['a small one', () => Buffer.from('[')],
    ['a view of a larger one', () => Buffer.alloc(60_000, '[').subarray(0, 50_000)],
  ])('leaves %s as it is', (_what, create) => {
    const bytes = create();
    const text = bytes.toString();
    freeMemory(bytes);
    expect(bytes.toString()).toBe(text);
  });
});
