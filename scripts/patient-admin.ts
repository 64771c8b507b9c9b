import { runAdmin } from '@rewardhook/local-stack';
import type { Admin, RunFrom, Stack } from '@rewardhook/local-stack';

/** The exit code of the command line when PostgreSQL or Redis is not available, or slow. */
const unavailable = 3;

/** Commands that only read. */
const reading = new Set(['show', 'list']);

/**
 * The admin command line on a stack that may be slow: a command is repeated while PostgreSQL or Redis does not answer it in time, if it
 * has done nothing.
 */
export function openPatientAdmin(stack: Stack, run: RunFrom = 'built'): Admin {
  return async <T>(...words: string[]) => {
    const { ok, document, stderr } = await stack.waitWhileMoving(`admin ${words.join(' ')}`, async () => {
      const result = await runAdmin(stack.environment, words, { run, timeoutMs: 0 });
      const didNothing = reading.has(words[1] ?? '') || result.stderr.includes('Nothing was done.');
      if (result.exitCode === unavailable && didNothing) throw new Error(result.stderr.trim());
      return result;
    });
    if (!ok) throw new Error(`admin ${words.join(' ')} failed: ${stderr}`);
    return document as T;
  };
}
