import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The environment of the stack, development servers or demo that runs in this checkout; empty when none runs. Variables
 * that are set are not included.
 */
export function environmentOfRunningStack(root) {
  for (const folder of ['.local', '.local/dev', '.local/demo']) {
    const found = readEnvironment(join(root, folder, 'environment.json'));
    if (found) return Object.fromEntries(Object.entries(found).filter(([name]) => !process.env[name]));
  }
  return {};
}

function readEnvironment(path) {
  try {
    const { ownerPid, environment } = JSON.parse(readFileSync(path, 'utf8'));
    process.kill(ownerPid, 0);
    return environment;
  } catch {
    return undefined;
  }
}
