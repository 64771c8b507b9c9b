import { invalidRequest } from './api-error.ts';
import { withDatabaseTimeout } from './with-database-timeout.ts';

describe('work on the database for somebody who waits', () => {
  it('gives its outcome', async () => {
    expect(await withDatabaseTimeout(Promise.resolve(7), 1_000)).toBe(7);
  });

  it('is given up when it takes too long', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(withDatabaseTimeout(never, 20)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('becomes 503 when it fails, and keeps the cause for the log', async () => {
    const cause = new Error('connection refused');
    await expect(withDatabaseTimeout(Promise.reject(cause), 1_000)).rejects.toMatchObject({
      code: 'service_unavailable',
      cause,
    });
  });

  it('keeps its own refusals', async () => {
    const refusal = invalidRequest({ user_hash: 'is required' });
    await expect(withDatabaseTimeout(Promise.reject(refusal), 1_000)).rejects.toBe(refusal);
  });
});
