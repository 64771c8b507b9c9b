import { createInterface } from 'node:readline/promises';
import { processEnvironment } from './environment.ts';
import { exitCodes, runCommandLine } from './run-command-line.ts';

/** Why the output could not be written, for example because the disk is full. */
let unwritten: Error | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has closed its pipe, such as `| head`, has seen what it wanted.
  if (error.code !== 'EPIPE') unwritten = error;
});
process.stderr.on('error', () => undefined);

const code = await runCommandLine(process.argv.slice(2), processEnvironment, {
  out: (text) => void process.stdout.write(text),
  warn: (message) => void process.stderr.write(`${message}\n`),
  ...(process.stdout.isTTY && {
    terminal: { columns: process.stdout.columns || 80, ...(process.stdin.isTTY && { ask }) },
  }),
});
// Ends the process once everything is written, without waiting for connections that do not close. The errors of a stream come
// after the callbacks of its writes.
process.stdout.write('', () => process.stderr.write('', () => setImmediate(end)));

/** Whether the answer begins with y. The end of the input is a no. */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    return /^y(es)?$/i.test((await Promise.race([terminal.question(question), closed])).trim());
  } finally {
    terminal.close();
  }
}

function end(): void {
  if (!unwritten) process.exit(code);
  const lost =
    code === exitCodes.done ? ' The command was done: a secret that it shows only once is lost.' : '';
  process.stderr.write(`The output cannot be written: ${unwritten.message}.${lost}\n`);
  process.exit(code === exitCodes.done ? exitCodes.failed : code);
}
