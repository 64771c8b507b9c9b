import { waitFor } from './wait-for.ts';

describe('waitFor', () => {
  it('returns the value of the check, and treats errors as "not yet"', async () => {
    let looks = 0;
    const found = await waitFor(
      () => {
        looks++;
        if (looks < 3) throw new Error('not there');
        return looks === 3 ? undefined : `look ${looks}`;
      },
      { everyMs: 1 },
    );
    expect(found).toBe('look 4');
  });

  it('names the condition and the last error at the deadline', async () => {
    const waiting = waitFor(() => Promise.reject(new Error('nobody home')), {
      deadlineMs: 20,
      everyMs: 5,
      what: 'an answer',
    });
    await expect(waiting).rejects.toThrow('an answer did not come within 20 ms: nobody home');
  });
});
