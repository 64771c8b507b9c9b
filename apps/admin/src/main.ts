import { processEnvironment } from './environment.ts';
import { runCommandLine } from './run-command-line.ts';

const code = await runCommandLine(process.argv.slice(2), processEnvironment, {
  out: (text) => void process.stdout.write(text),
  warn: (message) => void process.stderr.write(`${message}\n`),
});
process.exitCode = code;
// Ends the process once everything is written, without waiting for connections that do not close.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
