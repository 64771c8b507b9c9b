const firstDelaySeconds = 60;
const longestDelaySeconds = 3_600;

/** Seconds until the next try, by the number of tries made: 1, 2, 4 … minutes, at most an hour. */
export function mailDelaySeconds(attempt: number): number {
  return Math.min(firstDelaySeconds * 2 ** (attempt - 1), longestDelaySeconds);
}
