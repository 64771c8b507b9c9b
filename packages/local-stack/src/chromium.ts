import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/** Options of Chromium: no requests except those of the page under test, and it runs as root too. */
export const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * The path of Chromium or Chrome: CHROMIUM_PATH, or the first one on the PATH or in /usr/bin. When there is none, it is
 * installed with apt (as root on Debian and Ubuntu).
 * @throws with the command to run on other systems
 */
export async function chromiumPath(): Promise<string> {
  const given = process.env['CHROMIUM_PATH'];
  if (given) {
    if (!isProgram(given)) throw new Error(`CHROMIUM_PATH is not a program: ${given}`);
    return given;
  }
  const found = findProgram(names);
  if (found) return found;
  if (process.getuid?.() !== 0 || !findProgram(['apt-get']))
    throw new Error(`There is no Chromium. Install it (${installLine()}) or set CHROMIUM_PATH.`);
  await install();
  const installed = findProgram(names);
  if (!installed)
    throw new Error('Chromium was installed with apt but is not on the PATH. Set CHROMIUM_PATH.');
  return installed;
}

/** Several tests may call this at once: apt waits for its lock. */
async function install(): Promise<void> {
  const run = (...words: string[]) =>
    promisify(execFile)('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...words], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      maxBuffer: 64 * 1024 * 1024,
    });
  // One package source may be unreachable while another has the package.
  await run('update').catch(() => undefined);
  await run('install', '-y', '--no-install-recommends', 'chromium').catch((cause: unknown) => {
    throw new Error(`Chromium could not be installed: ${installLine()}. Or set CHROMIUM_PATH.`, { cause });
  });
}

function findProgram(wanted: string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin'].filter(Boolean);
  return wanted.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installLine(): string {
  if (process.platform === 'darwin') return 'brew install --cask chromium';
  return 'sudo apt-get update && sudo apt-get install -y chromium';
}
