import { withTimeout } from '@rewardhook/process';
import { ApiError, serviceUnavailable } from './api-error.ts';

/**
 * Waits for database work of a request, at most `timeoutMs` milliseconds.
 * @throws ApiError `service_unavailable` when the work fails or takes longer; an ApiError of the work is passed on
 */
export async function withDatabaseTimeout<T>(work: Promise<T>, timeoutMs = 10_000): Promise<T> {
  try {
    return await withTimeout(work, timeoutMs, 'the database did not answer');
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw serviceUnavailable('This cannot be served right now. Try again in a moment.', error);
  }
}
