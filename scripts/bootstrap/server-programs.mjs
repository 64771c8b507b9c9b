import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem, printProgress, step } from './steps.mjs';

const policyFile = '/usr/sbin/policy-rc.d';

/** Each program and its package in Debian and Ubuntu. */
const packages = {
  'redis-server': 'redis-server',
  pgbouncer: 'pgbouncer',
  promtool: 'prometheus',
  haproxy: 'haproxy',
  kubectl: 'kubernetes-client',
};

/** What every command needs that starts the system. */
export const redisServer = ['redis-server'];

/** What the long tests need: proxies, Prometheus' checker of rules, and kubectl for its `kustomize`. */
export const sweepPrograms = Object.keys(packages);

/**
 * Installs the programs that are missing with apt (as root on Debian and Ubuntu). No service of the system is started.
 * @throws Problem with the command to run on other systems
 */
export async function ensurePrograms(programs) {
  const missing = programs.filter((program) => !isInstalled(program)).map((program) => packages[program]);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (process.getuid?.() !== 0 || !isInstalled('apt-get')) {
    throw new Problem(`Not installed: ${names}. Install with\n\n    ${installLine(names)}\n
and run this again.${names === 'redis-server' ? ' Or set REDIS_URL to a Redis of yours.' : ''}`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await step('apt-get update', 'apt-get', ['update', '-q'], { env }).catch((error) => {
    // One package source may be unreachable while another has the package.
    printProgress(`  ${error.message.split('\n')[0]}; trying to install anyway`);
  });
  const forbidden = forbidServiceStart();
  try {
    const install = ['install', '-y', '-q', '--no-install-recommends', ...missing];
    await step(`apt-get install ${names}`, 'apt-get', install, { env });
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

/** Whether a program is on the PATH, or in the folder of system programs, which is not on every user's PATH. */
function isInstalled(program) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function installLine(names) {
  if (isInstalled('apt-get')) return `sudo apt-get update && sudo apt-get install -y ${names}`;
  return `your package manager (Debian's names of the packages: ${names})`;
}
