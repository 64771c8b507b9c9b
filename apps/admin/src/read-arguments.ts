import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';

/** The command that was asked for, with its options checked. @throws UsageError that says what to write instead */
export function readArguments(words: string[]): { command: Command; options: Record<string, string> } {
  const firstOption = words.findIndex((word) => word.startsWith('-'));
  const name = (firstOption === -1 ? words : words.slice(0, firstOption)).join(' ');
  const command = commands[name];
  if (!command) throw new UsageError(name ? `There is no command "${name}".\n\n${help()}` : help());
  const known = { ...command.required, ...command.optional };
  const options = parseOptions(
    words.slice(firstOption === -1 ? words.length : firstOption),
    known,
    name,
    command,
  );
  const missing = Object.keys(command.required).filter((option) => !options[option]);
  if (missing.length > 0)
    throw new UsageError(
      `Missing: ${missing.map((option) => `--${option}`).join(', ')}\n\n${usage(name, command)}`,
    );
  return { command, options };
}

/** All commands with their options. */
export function help(): string {
  const lines = Object.entries(commands).map(([name, command]) => usage(name, command));
  return `Usage: npm run -s admin -- <command> [--option value]\n\n${lines.join('\n\n')}`;
}

function parseOptions(
  words: string[],
  known: object,
  name: string,
  command: Command,
): Record<string, string> {
  const options = Object.fromEntries(
    Object.keys(known).map((option) => [option, { type: 'string' as const }]),
  );
  try {
    return parseArgs({ args: words, options, strict: true }).values as Record<string, string>;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage(name, command)}`);
  }
}

function usage(name: string, command: Command): string {
  const line = ([option, about]: [string, string | undefined], open = '', close = '') =>
    `    ${open}--${option}${close}  ${about}`;
  return [
    `  ${name}`,
    `    ${command.does}`,
    ...Object.entries(command.required).map((entry) => line(entry)),
    ...Object.entries(command.optional ?? {}).map((entry) => line(entry, '[', ']')),
  ].join('\n');
}
