import { processEnvironment } from './environment.ts';
import { runCommandLine } from './run-command-line.ts';

const code = await runCommandLine(process.argv.slice(2), processEnvironment, {
  out: (text) => void process.stdout.write(text),
  warn: (message) => void process.stderr.write(`${message}\n`),
});
process.exitCode = code;
// What is written goes out first; a connection that does not close holds nothing up.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
