import { scaled } from './time-scale.ts';
import { waitFor } from './wait-for.ts';

describe('TEST_TIME_SCALE', () => {
  const before = process.env['TEST_TIME_SCALE'];
  const set = (value: string | undefined) => {
    if (value === undefined) delete process.env['TEST_TIME_SCALE'];
    else process.env['TEST_TIME_SCALE'] = value;
  };
  afterEach(() => set(before));

  it('multiplies the times of tests', () => {
    set('4');
    expect(scaled(500)).toBe(2_000);
    set('');
    expect(scaled(500)).toBe(500);
  });

  it('multiplies the deadlines of waitFor', async () => {
    set('2');
    await expect(waitFor(() => false, { deadlineMs: 10, everyMs: 1 })).rejects.toThrow(
      'timed out after 20 ms waiting for the condition',
    );
  });

  it.each(['0.5', '101', 'x'])('"%s" is refused', (value) => {
    set(value);
    expect(() => scaled(1)).toThrow('TEST_TIME_SCALE must be a number from 1 to 100');
  });
});
