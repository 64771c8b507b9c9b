import { isStopping } from './stop-signal.ts';

/**
 * Prints the message of an error, without a stack trace, and exits with code 1. After Ctrl-C it says first that the command was
 * stopped, because that made what was in progress fail.
 */
export function reportProblem(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`\n${isStopping() ? 'Stopped before it was complete: ' : ''}${message}\n`);
  process.exit(1);
}
