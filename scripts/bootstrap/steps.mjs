import { spawn } from 'node:child_process';

/** A problem whose message is all that a person needs to see. */
export class Problem extends Error {}

/** Writes a progress line to stderr: stdout belongs to the command. */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs one program of the set-up with its output kept back, and says what happens and how long it took; every
 * 10 s it says that it is still at it.
 * @throws Problem with the program's output when it fails
 */
export async function step(what, command, args, options = {}) {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  say(`… ${what}`);
  const ticking = setInterval(() => say(`  still at it: ${what} (${seconds()})`), 10_000);
  try {
    const { code, output } = await capture(command, args, options);
    if (code !== 0)
      throw new Problem(`${what} failed: ${command} ${args.join(' ')}\n${output.slice(-6_000)}`);
    say(`✓ ${what} (${seconds()})`);
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
