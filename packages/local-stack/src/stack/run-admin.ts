import { execFile } from 'node:child_process';
import { projectRoot } from '../project-root.ts';
import { programArguments } from './program.ts';
import type { RunFrom } from './program.ts';

/** The result of one run of the admin command line. */
export interface AdminResult {
  /** Whether the exit code is 0. */
  ok: boolean;
  /** Undefined when it could not be started, or a signal ended it. */
  exitCode: number | undefined;
  /** Its JSON document; undefined when it printed none. */
  document: unknown;
  stderr: string;
}

/** Runs a command of the admin command line and returns its JSON document. @throws with its stderr when it fails */
export type Admin = <T>(...words: string[]) => Promise<T>;

/** How the admin command line runs. */
export interface AdminOptions {
  /** Default `built`. */
  run?: RunFrom;
  /** The folder of the checkout whose command line runs; default this one. */
  checkout?: string;
  /** Milliseconds after which it is ended; 0 lets it run. Default 60,000. */
  timeoutMs?: number;
}

/** Runs the admin command line as a process on the data of a stack, as `npm run admin -- …` does. */
export function runAdmin(
  environment: Record<string, string>,
  words: string[],
  { run = 'built', checkout = projectRoot, timeoutMs = 60_000 }: AdminOptions = {},
): Promise<AdminResult> {
  const args = [...programArguments('apps/admin/main', run), ...words];
  const options = { cwd: checkout, env: { ...process.env, ...environment }, timeout: timeoutMs };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const document: unknown = stdout === '' ? undefined : JSON.parse(stdout);
      const code = error ? error.code : 0;
      const exitCode = typeof code === 'number' ? code : undefined;
      resolve({ ok: !error, exitCode, document, stderr: stderr || (error?.message ?? '') });
    });
  });
}

/** The admin command line on the data of a stack, for callers that need every command to succeed. */
export function openAdmin(environment: Record<string, string>, options: AdminOptions = {}): Admin {
  return async <T>(...words: string[]) => {
    const { ok, document, stderr } = await runAdmin(environment, words, options);
    if (!ok) throw new Error(`admin ${words.join(' ')} failed: ${stderr}`);
    return document as T;
  };
}
