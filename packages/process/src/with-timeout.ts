/** The error of `withTimeout` when the deadline passes first. */
export class TimeoutError extends Error {}

/**
 * Waits for work, at most `timeoutMs` milliseconds. The work is not cancelled: when it settles after the deadline, its
 * result or error is dropped.
 * @throws TimeoutError with the message `<problem> within <timeoutMs> ms`, or the error of the work
 */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number, problem: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(`${problem} within ${timeoutMs} ms`)), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
