import { accessSync, constants, existsSync } from 'node:fs';
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
  psql: 'postgresql-client',
  'systemd-analyze': 'systemd',
};

/** What every command needs that starts the system. */
export const redisServer = ['redis-server'];

/** What the long tests need: proxies, Prometheus' checker of rules, kubectl for its `kustomize`, psql, and the check of units. */
export const e2ePrograms = Object.keys(packages);

/**
 * Installs the programs that are missing with apt (as root on Debian and Ubuntu, with sudo on CI). No service of the system is started.
 * @throws Problem with the command to run on other systems
 */
export async function ensurePrograms(programs) {
  const missing = programs.filter((program) => !isInstalled(program)).map((program) => packages[program]);
  if (missing.length === 0) return;
  const names = missing.join(' ');
  const root = rootCommand();
  if (!root || !isInstalled('apt-get')) {
    throw new Problem(`Not installed: ${names}. Install with\n\n    ${installLine(names)}\n
and run this again.${names === 'redis-server' ? ' Or set REDIS_URL to a Redis of yours.' : ''}`);
  }
  const apt = [...root, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q'];
  const run = (what, [program, ...args]) => step(what, program, args);
  await run('apt-get update', [...apt, 'update']).catch((error) => {
    // One package source may be unreachable while another has the package.
    printProgress(`  ${error.message.split('\n')[0]}; trying to install anyway`);
  });
  // Debian runs this file before a package starts its service. An existing one is not changed.
  const forbidden = !existsSync(policyFile);
  const forbid = `printf '#!/bin/sh\\nexit 101\\n' > ${policyFile} && chmod 755 ${policyFile}`;
  try {
    if (forbidden) await run('no service is started', [...root, 'sh', '-c', forbid]);
    const install = ['install', '-y', '--no-install-recommends', ...missing];
    await run(`apt-get install ${names}`, [...apt, ...install]);
  } finally {
    if (forbidden) await run('services may be started', [...root, 'rm', '-f', policyFile]);
  }
}

/** What a command of root begins with. On a CI runner that is `sudo`, without a password; nobody's own machine is asked. */
function rootCommand() {
  if (process.getuid?.() === 0) return [];
  return process.env.CI && isInstalled('sudo') ? ['sudo', '-n'] : undefined;
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
