import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem, say, step } from './steps.mjs';

const policyFile = '/usr/sbin/policy-rc.d';

/**
 * Makes sure that there is a `redis-server` on the PATH: as root on Debian and Ubuntu it is installed with apt,
 * and the system's own Redis service is not started by it.
 * @throws Problem with the one line to run elsewhere
 */
export async function ensureRedisServer() {
  if (isOnPath('redis-server')) return;
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
    throw new Problem(`redis-server is not installed. Install it with\n\n    ${installLine()}\n
and run this again, or set REDIS_URL to a Redis of yours.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await step('apt-get update', 'apt-get', ['update', '-q'], { env }).catch((error) => {
    // One unreachable source is no reason to give up: the package may come from another.
    say(`  ${error.message.split('\n')[0]}; trying to install all the same`);
  });
  const forbidden = forbidServiceStart();
  try {
    const install = ['install', '-y', '-q', '--no-install-recommends', 'redis-server'];
    await step('apt-get install redis-server', 'apt-get', install, { env });
  } finally {
    if (forbidden) rmSync(policyFile, { force: true });
  }
}

/** Debian asks this file before a package starts its service. One that is there already stays as it is. */
function forbidServiceStart() {
  if (existsSync(policyFile)) return false;
  writeFileSync(policyFile, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return true;
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function installLine() {
  if (process.platform === 'darwin') return 'brew install redis';
  if (isOnPath('apt-get')) return 'sudo apt-get update && sudo apt-get install -y redis-server';
  if (isOnPath('dnf')) return 'sudo dnf install -y redis';
  if (isOnPath('pacman')) return 'sudo pacman -S redis';
  if (isOnPath('apk')) return 'sudo apk add redis';
  return 'your package manager: the package is called redis or redis-server';
}
