import { processEnvironment } from './environment.ts';
import { openTerminal } from './output/terminal.ts';
import { runCommandLine } from './run-command-line.ts';

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
// Ends when everything is written, without waiting for the standard input or idle connections.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
