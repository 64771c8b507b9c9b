import { execFile } from 'node:child_process';
import { projectRoot } from '@rewardhook/testing';

/** What a run of the operator's command line came to. */
export interface AdminResult {
  ok: boolean;
  /** Its JSON document; undefined when it printed none. */
  document: unknown;
  /** What it said beside that. */
  said: string;
}

/** Runs the operator's command line, as built, on the data of a stack, given by its environment. */
export function runAdmin(environment: Record<string, string>, ...words: string[]): Promise<AdminResult> {
  const options = { cwd: projectRoot, env: { ...process.env, ...environment }, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, ['apps/admin/dist/main.js', ...words], options, (error, stdout, stderr) => {
      const document: unknown = stdout === '' ? undefined : JSON.parse(stdout);
      resolve({ ok: !error, document, said: stderr });
    });
  });
}
