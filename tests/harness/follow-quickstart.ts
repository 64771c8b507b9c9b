import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, projectRoot, waitFor } from '@rewardhook/testing';

/** What a reader of the quickstart has. */
export interface QuickstartReader {
  /** The empty folder. */
  folder: string;
  /** The values of `rewardhook.env`. */
  values: { REWARDHOOK_BASE_URL: string; REWARDHOOK_SECRET_KEY: string; REWARDHOOK_SIGNING_SECRET: string };
  /** Environment variables of the terminal. */
  environment?: NodeJS.ProcessEnv;
  /** Whether the packages are in the folder already, so that `npm install` is left out. Default false. */
  isInstalled?: boolean;
}

/** The text of docs/quickstart.md. */
export const quickstart = readFileSync(join(projectRoot, 'docs/quickstart.md'), 'utf8');
const codeIn = (marks: string) =>
  [...quickstart.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
    .filter(([, given]) => given === marks)
    .map(([, , code]) => code ?? '');
const isInstallation = (command: string) => command.startsWith('npm install');

/** The names of the packages that the quickstart installs. */
export const packagesOfQuickstart = codeIn('sh')
  .filter(isInstallation)
  .flatMap((command) => [...command.matchAll(/rewardhook-([a-z-]+)-\d/g)].map(([, name]) => name ?? ''));

/**
 * Follows docs/quickstart.md from the file with the values on: saves its files and runs its commands in one shell, until the
 * receiver has printed the grants. Only the port differs, because another program may use it. Returns all output.
 * @throws when the grants are not printed within 60 seconds
 */
export async function followQuickstart(reader: QuickstartReader): Promise<string> {
  const { folder, values, environment, isInstalled = false } = reader;
  const port = String(await freePort());
  const withPort = (code: string) => code.replaceAll('8080', port);
  const [variables = '', expected = ''] = codeIn('text');
  const file = variables.replaceAll(
    /^(\w+)=.*$/gm,
    (_line, name: keyof typeof values) => `${name}=${values[name]}`,
  );
  writeFileSync(join(folder, 'rewardhook.env'), file);
  writeFileSync(
    join(folder, 'receiver.mjs'),
    withPort(codeIn('js file=examples/receivers/quickstart.mjs')[0] ?? ''),
  );
  const commands = codeIn('sh').filter((command) => !(isInstalled && isInstallation(command)));
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', withPort(`${commands.join('\n')}\nwait`)], {
    cwd: folder,
    // A group of its own, so that the background processes end with it.
    detached: true,
    env: { ...process.env, ...environment },
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (text: Buffer) => void (output += text.toString()));
  try {
    await waitFor(
      async () => {
        if (shell.exitCode !== null) throw new Error(`the commands ended: ${output}`);
        return expected
          .trim()
          .split('\n')
          .every((line) => output.includes(line));
      },
      { deadlineMs: 60_000, what: 'the grants' },
    );
    return output;
  } catch (cause) {
    throw new Error(`The quickstart printed: ${output}`, { cause });
  } finally {
    if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
  }
}
