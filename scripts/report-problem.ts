/** Prints the message of an error, without a stack trace, and exits with code 1. */
export function reportProblem(error: unknown): never {
  console.error(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
