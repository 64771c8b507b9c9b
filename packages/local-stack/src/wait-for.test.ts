import { scaled } from './time-scale.ts';
import { waitFor } from './wait-for.ts';

describe('waitFor', () => {
  it('returns the value of the check, and treats errors as "not yet"', async () => {
    let checks = 0;
    const found = await waitFor(
      () => {
        checks++;
        if (checks < 3) throw new Error('not there');
        return checks === 3 ? undefined : `check ${checks}`;
      },
      { everyMs: 1 },
    );
    expect(found).toBe('check 4');
  });

  it('names the condition and the last error at the deadline', async () => {
    const waiting = waitFor(() => Promise.reject(new Error('not available')), {
      deadlineMs: 20,
      everyMs: 5,
      what: 'an answer',
    });
    await expect(waiting).rejects.toThrow(
      `timed out after ${scaled(20)} ms waiting for an answer: not available`,
    );
  });
});
