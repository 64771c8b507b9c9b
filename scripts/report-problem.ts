import { isStopping } from './stop-signal.ts';

/**
 * Prints the message of an error, without a stack trace, and exits with code 1. After Ctrl-C it says first that the command was
 * stopped, because that made what was in progress fail.
 */
export function reportProblem(error: unknown): never {
  console.error(`\n${isStopping() ? 'Stopped before it was complete: ' : ''}${describe(error)}\n`);
  process.exit(1);
}

/** The message of an error with those of its causes that it does not repeat: `fetch` itself only says "fetch failed". */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : describe(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}
