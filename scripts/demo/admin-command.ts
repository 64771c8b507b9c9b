import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programArguments, projectRoot } from '@rewardhook/testing';

/** Runs the operator's command line, as `npm run admin -- …` does, and returns its JSON document. */
export type AdminCommand = <T>(...words: string[]) => Promise<T>;

/**
 * The command line on the data of a stack, given by its environment, built or from its sources.
 * @throws with what the command says
 */
export function adminCommand(
  environment: Record<string, string>,
  run: 'built' | 'source' = 'built',
): AdminCommand {
  return async <T>(...words: string[]) => {
    const program = [...programArguments('apps/admin/main', run), ...words];
    const options = { cwd: projectRoot, env: { ...process.env, ...environment } };
    const { stdout } = await promisify(execFile)(process.execPath, program, options).catch(
      (error: Error & { stderr?: string }) => {
        throw new Error(`admin ${words.join(' ')} failed: ${error.stderr || error.message}`);
      },
    );
    return JSON.parse(stdout) as T;
  };
}

/** A command as a person would type it. */
export function asTyped(words: string[]): string {
  const quoted = words.map((word) => (/^[\w:/.,-]+$/.test(word) ? word : `"${word}"`));
  return `$ npm run -s admin -- ${quoted.join(' ')}`;
}
