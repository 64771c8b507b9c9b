const firstDelaySeconds = 60;
const longestDelaySeconds = 3_600;

/** Until the next try after so many, in seconds: 1, 2, 4 … minutes, an hour at most. */
export function mailDelaySeconds(attempt: number): number {
  return Math.min(firstDelaySeconds * 2 ** (attempt - 1), longestDelaySeconds);
}
