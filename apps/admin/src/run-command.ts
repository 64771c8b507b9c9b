import { audited } from '@rewardhook/database';
import type { AuditedCall } from '@rewardhook/database';
import { CommandFailed } from './command.ts';
import type { AdminContext, CommandResult } from './command.ts';
import type { ParsedCommand } from './parse-command-line.ts';
import { selectTestSide } from './select-test-side.ts';

/** Who runs a command, and where. */
export interface Operator {
  name: string;
  host: string;
  requestId: string;
}

/**
 * Runs a command and writes its entry in the audit: the one place for all commands. An entry that a command does not
 * describe further names the merchant and the subject in its options.
 */
export async function runCommand(
  {
    command,
    options: given,
    testSide,
    yes,
    dryRun,
  }: Pick<ParsedCommand, 'command' | 'options' | 'testSide' | 'yes' | 'dryRun'>,
  context: AdminContext,
  operator: Operator,
): Promise<CommandResult> {
  const { name, host: address, requestId } = operator;
  const by = { actor: { kind: 'operator', name }, address, requestId } as const;
  // What a command takes away from a test side that was never used is nothing.
  const create = command.preview === undefined;
  const options = testSide ? await selectTestSide(given, context, { by, create }) : given;
  const run = () => command.run(options, context);
  if (command.preview && (dryRun || !yes)) {
    const preview = await command.preview(options, context);
    if (dryRun) return { document: { dryRun, ...preview } };
    if (!(await context.ask?.(preview))) throw new CommandFailed('Nothing was changed.');
  }
  if (command.audit === null) return run();
  const call: AuditedCall = {
    ...by,
    action: command.audit,
    merchantId: options['merchant'] ?? null,
    subjectId: subjectOf(options),
  };
  return audited(context.database, call, run);
}

/** The options that name what a command changes. No entry names a member. */
const subjectOptions = ['webhook', 'key', 'replay', 'referral', 'delivery', 'problem'];

const subjectOf = (options: Record<string, string>): string | null =>
  subjectOptions.map((option) => options[option]).find((id) => id !== undefined) ?? null;
