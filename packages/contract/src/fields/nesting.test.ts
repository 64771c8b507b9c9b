import { nested } from '../../testing/valid-order.ts';
import { nestsDeeperThan } from './nesting.ts';

function validation(value: unknown, levels: number): { deep: boolean; steps: number } {
  const check = nestsDeeperThan(value, levels);
  let steps = 1;
  let step = check.next();
  while (step.done !== true) {
    steps++;
    step = check.next();
  }
  return { deep: step.value, steps };
}

describe('nestsDeeperThan', () => {
  it('counts levels of arrays', () => {
    expect(validation(nested(32), 32).deep).toBe(false);
    expect(validation(nested(33), 32).deep).toBe(true);
  });

  it('counts levels of objects, wherever the deepest lies', () => {
    const value = JSON.parse('{"a":1,"b":[{"c":null},{"d":{"__proto__":{}}}]}');
    expect(validation(value, 5).deep).toBe(false);
    expect(validation(value, 4).deep).toBe(true);
  });

  it.each([null, 1, 'text', true, undefined])('finds no level in %s', (value) => {
    expect(validation(value, 0).deep).toBe(false);
  });

  it('survives JSON nested 50,000 deep', () => {
    expect(validation(nested(50_000), 32).deep).toBe(true);
    expect(validation(JSON.parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)), 32).deep).toBe(true);
  });

  it('takes a wide value in many steps', () => {
    expect(
      validation(
        Array.from({ length: 10_000 }, () => 1),
        32,
      ),
    ).toEqual({ deep: false, steps: 40 });
  });
});
