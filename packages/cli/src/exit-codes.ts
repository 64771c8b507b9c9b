/** The exit codes. docs/cli.md documents them. */
export const exitCodes = {
  done: 0,
  /** Something was refused or failed: an order, a delivery, a check. */
  failed: 1,
  /** A wrong command, option, setting or file. */
  usage: 2,
  /** The API or the receiver cannot be reached. */
  unavailable: 3,
  /** `certify` found nothing wrong, but did not see all: grants were not counted, or a check was not run. */
  notObserved: 4,
} as const;

/** A command that ends with a message, without a stack. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was called with wrong options or settings. */
export const usageError = (message: string): CommandError => new CommandError(message, exitCodes.usage);
