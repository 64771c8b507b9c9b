/**
 * A time of a test, in milliseconds, for this machine: a deadline, a time-out, or the time in which the service promises to
 * answer. `TEST_TIME_SCALE=4` makes all of them four times as long, for a machine that is slow or busy. Default 1.
 */
export function scaled(ms: number): number {
  const scale = Number(process.env['TEST_TIME_SCALE'] || 1);
  if (!(scale >= 1 && scale <= 100)) throw new Error('TEST_TIME_SCALE must be a number from 1 to 100');
  return ms * scale;
}
