import { nested } from '../../testing/valid-order.ts';
import { nestsDeeperThan } from './nesting.ts';

function check(value: unknown, levels: number): { deep: boolean; steps: number } {
  const generator = nestsDeeperThan(value, levels);
  let steps = 1;
  let step = generator.next();
  while (step.done !== true) {
    steps++;
    step = generator.next();
  }
  return { deep: step.value, steps };
}

describe('nestsDeeperThan', () => {
  it('Levels of arrays are counted', () => {
    expect(check(nested(32), 32).deep).toBe(false);
    expect(check(nested(33), 32).deep).toBe(true);
  });

  it('Levels of objects are counted, wherever the deepest is', () => {
    const value = JSON.parse('{"a":1,"b":[{"c":null},{"d":{"__proto__":{}}}]}');
    expect(check(value, 5).deep).toBe(false);
    expect(check(value, 4).deep).toBe(true);
  });

  it.each([null, 1, 'text', true, undefined])('%s has no levels', (value) => {
    expect(check(value, 0).deep).toBe(false);
  });

  it('JSON with 50,000 levels does not overflow the stack', () => {
    expect(check(nested(50_000), 32).deep).toBe(true);
    expect(check(JSON.parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)), 32).deep).toBe(true);
  });

  it('A wide value is visited in many steps', () => {
    expect(
      check(
        Array.from({ length: 10_000 }, () => 1),
        32,
      ),
    ).toEqual({ deep: false, steps: 40 });
  });
});
