import { Command as Program, CommanderError, Option } from 'commander';
import { UsageError } from './command.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';

/** A command with the values of its options, or the help that was asked for. */
export type ParsedCommandLine = ParsedCommand | { kind: 'help'; text: string };

/** A command with the values of its options. */
export interface ParsedCommand {
  kind: 'command';
  command: Command;
  options: Record<string, string>;
  /** The value of `--as`: who runs the command. */
  operator: string | undefined;
  /** Whether `--test` selects the test side of the merchant. */
  testSide: boolean;
  /** Whether to print JSON on a terminal, too. */
  json: boolean;
  /** Whether to run without asking, and whether only to show what a run would do. */
  yes: boolean;
  dryRun: boolean;
}

/** Parses the words after `npm run admin --`. @throws UsageError with the message and the help of the command */
export function parseCommandLine(words: string[]): ParsedCommandLine {
  let parsed: ParsedCommand | undefined;
  let printed = '';
  const program = createProgram(
    (command, { as: operator, test: testSide = false, json = false, ...given }) => {
      const { yes = false, dryRun = false, ...others } = given;
      // A command that does not ask may have a flag of the same name.
      const own = command.preview ? others : given;
      const options = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, String(value)]));
      parsed = { kind: 'command', command, options, operator, testSide, json, yes, dryRun };
    },
    (text) => (printed += text),
  );
  try {
    program.parse(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code !== 'commander.helpDisplayed') throw new UsageError(printed.trimEnd());
    return { kind: 'help', text: printed.trimEnd() };
  }
  if (!parsed) throw new UsageError(program.helpInformation().trimEnd());
  return parsed;
}

/** The values of a command's own options, and of those of every command. */
interface ParsedOptions {
  as?: string;
  test?: true;
  json?: true;
  yes?: true;
  dryRun?: true;
  [option: string]: string | true | undefined;
}

/** Every command with its options, as a commander program. Nothing is written to the standard streams. */
function createProgram(
  select: (command: Command, options: ParsedOptions) => void,
  print: (text: string) => void,
): Program {
  const root = new Program('npm run -s admin --')
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: print })
    .usage('<command> [--option value …]')
    .description(
      'Each command prints a text on a terminal, and one JSON document in a pipe or with --json. "<command> --help" shows its options.',
    )
    .configureHelp({
      visibleCommands: (program) => program.commands.flatMap(leavesOf),
      subcommandTerm: wordsOf,
    });
  for (const [words, command] of Object.entries(commands)) {
    const [name = '', ...parents] = words.split(' ').reverse();
    const parent = parents.reverse().reduce((program, word) => {
      const known = program.commands.find((child) => child.name() === word);
      return known ?? addCommand(program, word);
    }, root);
    addOptions(addCommand(parent, name), command, select);
  }
  return root;
}

/** Adds a subcommand with the settings of its parent. */
const addCommand = (parent: Program, name: string): Program => parent.command(name).helpCommand(false);

function addOptions(
  program: Program,
  command: Command,
  select: (command: Command, options: ParsedOptions) => void,
): void {
  program.description(command.description).allowExcessArguments(false);
  for (const [name, description] of Object.entries(command.required))
    program.addOption(new Option(`--${name} <value>`, description).helpGroup('Required options:'));
  for (const [name, description] of Object.entries(command.optional ?? {}))
    program.addOption(new Option(`--${name} <value>`, description));
  for (const [name, description] of Object.entries(command.flags ?? {}))
    program.addOption(new Option(`--${name}`, description));
  if (command.preview) {
    program.addOption(new Option('--yes', 'do not ask; needed where there is no terminal'));
    program.addOption(new Option('--dry-run', 'only show what it would do'));
  }
  program.addOption(
    new Option('--as <name>', 'who runs it, for the audit').helpGroup('Options of every command:'),
  );
  program.addOption(
    new Option('--json', 'print JSON on a terminal too').helpGroup('Options of every command:'),
  );
  if ('merchant' in command.required || 'merchant' in (command.optional ?? {}))
    program.addOption(
      new Option('--test', 'the test side of the merchant').helpGroup('Options of every command:'),
    );
  program.action((options: ParsedOptions) => {
    const missing = program.options.filter(
      (option) => (option.long?.slice(2) as string) in command.required && !options[option.attributeName()],
    );
    if (missing.length > 0) program.error(`Missing: ${missing.map(({ long }) => long).join(', ')}`);
    select(command, options);
  });
}

const leavesOf = (program: Program): Program[] =>
  program.commands.length === 0 ? [program] : program.commands.flatMap(leavesOf);

const wordsOf = (program: Program): string =>
  program.parent?.parent ? `${wordsOf(program.parent)} ${program.name()}` : program.name();
