import { spawn } from 'node:child_process';

/** An error whose message is shown without a stack trace. */
export class Problem extends Error {
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Writes a progress line to stderr. stdout is for the output of the command. */
export function printProgress(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs one program of the set-up and prints its name, its progress every 10 s, and the time it took. Its output is not
 * shown.
 * @throws Problem with the output of the program when it fails
 */
export async function step(what, command, args, options = {}) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  printProgress(`… ${what}`);
  const ticking = setInterval(() => printProgress(`  still running: ${what} (${seconds()})`), 10_000);
  try {
    const { code, output } = await capture(command, args, options);
    if (code !== 0)
      throw new Problem(`${what} failed: ${command} ${args.join(' ')}\n${output.slice(-6_000)}`);
    printProgress(`✓ ${what} (${seconds()})`);
  } finally {
    clearInterval(ticking);
  }
}

function capture(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => resolve({ code: -1, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}
