import { readFile } from 'node:fs/promises';
import { describeFieldError } from '@rewardhook/contract';
import { parseRule, RuleError } from '@rewardhook/rewards';
import type { ProgramRule } from '@rewardhook/rewards';
import { UsageError } from '../command.ts';

/** Reads a reward rule from a JSON file. @throws UsageError that names everything that is wrong with it */
export async function readRuleFile(file: string): Promise<ProgramRule> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`The program file cannot be read: ${error.message}`);
  });
  try {
    // Editors on Windows put a byte order mark in front.
    return parseRule(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not JSON: ${error.message}`);
    if (!(error instanceof RuleError)) throw error;
    const problems = Object.entries(error.problems).map(
      ([path, problem]) => `  ${path} ${describeFieldError(problem)}`,
    );
    throw new UsageError(`${file} is not a reward rule (see docs/rewards.md):\n${problems.join('\n')}`);
  }
}
