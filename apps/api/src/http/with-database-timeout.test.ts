import { invalidRequest } from './api-error.ts';
import { withDatabaseTimeout } from './with-database-timeout.ts';

describe('withDatabaseTimeout', () => {
  it('Database work that finishes in time gives its result', async () => {
    expect(await withDatabaseTimeout(Promise.resolve(7), 1_000)).toBe(7);
  });

  it('Database work that takes too long becomes service_unavailable', async () => {
    const never = new Promise<never>(() => undefined);
    await expect(withDatabaseTimeout(never, 20)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('Database work that fails becomes service_unavailable with the error as its cause', async () => {
    const cause = new Error('connection refused');
    await expect(withDatabaseTimeout(Promise.reject(cause), 1_000)).rejects.toMatchObject({
      code: 'service_unavailable',
      cause,
    });
  });

  it('An ApiError of database work is passed on unchanged', async () => {
    const refusal = invalidRequest({ user_hash: 'is required' });
    await expect(withDatabaseTimeout(Promise.reject(refusal), 1_000)).rejects.toBe(refusal);
  });
});
