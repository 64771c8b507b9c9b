import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem, printProgress, step } from './steps.mjs';

const policyFile = '/usr/sbin/policy-rc.d';

/**
 * Installs `redis-server` with apt when it is not on the PATH (as root on Debian and Ubuntu). The Redis service of the
 * system is not started.
 * @throws Problem with the command to run on other systems
 */
export async function ensureRedisServer() {
  if (isOnPath('redis-server')) return;
  if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
    throw new Problem(`redis-server is not installed. Install it with\n\n    ${installLine()}\n
and run this again, or set REDIS_URL to a Redis of yours.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await step('apt-get update', 'apt-get', ['update', '-q'], { env }).catch((error) => {
    // One package source may be unreachable while another has the package.
    printProgress(`  ${error.message.split('\n')[0]}; trying to install anyway`);
  });
  const forbidden = forbidServiceStart();
  try {
    const install = ['install', '-y', '-q', '--no-install-recommends', 'redis-server'];
    await step('apt-get install redis-server', 'apt-get', install, { env });
  } finally {
    if (forbidden) rmSync(policyFile, { force: true });
  }
}

/** Debian runs this file before a package starts its service. An existing one is not changed. */
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
