/** The lines of a usage about {@link readPatience}. */
export const patienceUsage = `  --give-up-after N  stop when nothing has changed for N seconds while it starts; default 300`;

/**
 * Reads `--give-up-after`: how long nothing may change, in milliseconds. On a slow machine everything takes its time, and a person's
 * first command does not give up while something moves.
 * @throws when it is not a number of seconds
 */
export function readPatience(seconds: string): number {
  if (!/^[1-9]\d{0,4}$/.test(seconds)) throw new Error('--give-up-after must be a number of seconds');
  return Number(seconds) * 1_000;
}
