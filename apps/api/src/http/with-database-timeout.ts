import { setTimeout } from 'node:timers/promises';
import { ApiError } from './api-error.ts';

/**
 * The outcome of work on the database for somebody who waits.
 * @throws ApiError `service_unavailable` when it fails or is not done within so many milliseconds; an ApiError of
 * the work itself stays as it is
 */
export async function withDatabaseTimeout<T>(work: Promise<T>, withinMs: number): Promise<T> {
  const done = new AbortController();
  const late = setTimeout(withinMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`the database did not answer within ${withinMs} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(
      'service_unavailable',
      'This cannot be served right now. Try again in a moment.',
      undefined,
      error,
    );
  } finally {
    done.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}
