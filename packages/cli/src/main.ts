import { processEnvironment } from './environment.ts';
import { exitCodes } from './exit-codes.ts';
import { openTerminal } from './output/terminal.ts';
import { runCommandLine } from './run-command-line.ts';

/** The exit code of a program that is ended by SIGPIPE, as others are when their reader has ended. */
const brokenPipe = 141;

// A command whose results go nowhere ends at once.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? brokenPipe);
  process.stderr.write(`The output cannot be written: ${error.message}.\n`);
  process.exit(process.exitCode || exitCodes.failed);
});
process.stderr.on('error', () => undefined);

const code = await runCommandLine(process.argv.slice(2), {
  environment: processEnvironment,
  terminal: openTerminal(process, processEnvironment),
  input: process.stdin,
  openSignal() {
    const controller = new AbortController();
    // The second signal ends the process at once.
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
    return controller.signal;
  },
});
process.exitCode = code;
// Ends when everything is written, without waiting for the standard input or idle connections. The errors of a stream come after
// the callbacks of its writes.
process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit(code))));
