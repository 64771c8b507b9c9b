import type { Admin, AdminResult } from '@rewardhook/local-stack';
import { runCommandLine } from '../../apps/admin/src/run-command-line.ts';

/**
 * Runs the admin command line on the data of a stack, in the process of the test. A process of its own, as `runAdmin` starts,
 * loads for two seconds of processor time: it is for tests of the process.
 */
export async function runStackAdmin(
  environment: Record<string, string>,
  words: string[],
): Promise<Omit<AdminResult, 'ok'>> {
  let stdout = '';
  let stderr = '';
  const exitCode = await runCommandLine(
    words,
    { ...process.env, ...environment },
    { out: (text) => void (stdout += text), warn: (message) => void (stderr += `${message}\n`) },
  );
  return { exitCode, document: stdout === '' ? undefined : (JSON.parse(stdout) as unknown), stderr };
}

/** The admin command line on the data of a stack, for tests that need every command to succeed. */
export function openStackAdmin(environment: Record<string, string>): Admin {
  return async <T>(...words: string[]) => {
    const { exitCode, document, stderr } = await runStackAdmin(environment, words);
    if (exitCode !== 0) throw new Error(`admin ${words.join(' ')} failed: ${stderr}`);
    return document as T;
  };
}
