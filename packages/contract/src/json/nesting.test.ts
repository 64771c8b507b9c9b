import { nested } from '../../testing/valid-order.ts';
import { nestsDeeperThan } from './nesting.ts';

describe('nestsDeeperThan', () => {
  it('Levels of arrays are counted', () => {
    expect(nestsDeeperThan(nested(32), 32)).toBe(false);
    expect(nestsDeeperThan(nested(33), 32)).toBe(true);
  });

  it('Levels of objects are counted, wherever the deepest is', () => {
    const value = JSON.parse('{"a":1,"b":[{"c":null},{"d":{"__proto__":{}}}]}');
    expect(nestsDeeperThan(value, 5)).toBe(false);
    expect(nestsDeeperThan(value, 4)).toBe(true);
  });

  it.each([null, 1, 'text', true, undefined])('%s has no levels', (value) => {
    expect(nestsDeeperThan(value, 0)).toBe(false);
  });

  it('JSON with 50,000 levels does not overflow the stack', () => {
    expect(nestsDeeperThan(nested(50_000), 32)).toBe(true);
    expect(nestsDeeperThan(JSON.parse('{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)), 32)).toBe(true);
  });
});
