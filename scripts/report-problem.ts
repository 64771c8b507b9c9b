/** Prints what went wrong, as a sentence for a person, and ends with code 1. */
export function reportProblem(error: unknown): never {
  console.error(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
