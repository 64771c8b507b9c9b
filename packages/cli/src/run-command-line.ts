import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { describeDamagedArgument } from '@rewardhook/contract';
import { runCertify } from './certify/run-certify.ts';
import { readSettings, type SettingOptions, type Settings } from './environment.ts';
import { CommandError, exitCodes, usageError } from './exit-codes.ts';
import { runExplain } from './explain/run-explain.ts';
import { runListen } from './listen/run-listen.ts';
import { batchSizeDefault, runSendOrders } from './orders/send-orders.ts';
import type { Terminal } from './output/terminal.ts';
import { runTrigger } from './trigger/run-trigger.ts';
import { version } from './version.ts';

/** What commands are given. */
export type CommandContext = {
  environment: NodeJS.ProcessEnv;
  terminal: Terminal;
  input: NodeJS.ReadableStream;
  /** Returns a signal that aborts when the user ends the command. Without a call, the user ends the process at once. */
  openSignal: () => AbortSignal;
};

/** Runs one command. Returns the exit code; messages about what went wrong are written without a stack. */
export async function runCommandLine(words: string[], context: CommandContext): Promise<number> {
  const { note, style } = context.terminal;
  let run: (() => Promise<number>) | undefined;
  const program = createProgram(context, (action) => (run = action));
  try {
    const damaged = describeDamagedArgument(words);
    if (damaged !== undefined) throw usageError(damaged);
    program.parse(words, { from: 'user' });
    return run ? await run() : exitCodes.usage;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    if (!(error instanceof CommandError)) throw error;
    note(`${style.bad('Error:')} ${error.message}`);
    return error.exitCode;
  }
}

/** The options of a command, as commander names them. */
type Options = SettingOptions & Record<string, string | boolean | undefined>;

/** Every command with its options. `select` receives the one that was called. */
function createProgram(context: CommandContext, select: (run: () => Promise<number>) => void): Command {
  const { terminal, environment, input } = context;
  const { out, note } = terminal;
  // Set before the commands are added, which inherit it.
  const root = new Command('rewardhook')
    .exitOverride()
    .configureOutput({ writeOut: (text) => out(text.trimEnd()), writeErr: (text) => note(text.trimEnd()) })
    .description('Rewardhook for developers of shops. "<command> --help" shows the options of a command.')
    .version(version, '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .showHelpAfterError('Run it with --help to see its options.');
  const settingsOf = (options: Options): Settings => readSettings(options, environment);

  withApi(withSigning(root.command('listen')))
    .description('forward new webhooks to a receiver on your machine; no public URL is needed')
    .requiredOption('-f, --forward-to <url>', 'where to post them, such as http://localhost:4000/webhooks')
    .option('--since <time>', 'begin with earlier events: ISO 8601, or 10m, 2h, 1d before now')
    .option('--types <types>', 'event types, comma-separated', 'reward.issue,reward.revoke')
    .addOption(json('one JSON document for each request'))
    .action((options: Options) =>
      select(() =>
        runListen(
          {
            forwardTo: String(options['forwardTo']),
            since: options['since'] as string | undefined,
            types: String(options['types']),
            json: options['json'] === true,
            settings: settingsOf(options),
          },
          context,
        ),
      ),
    );

  withApi(withSigning(root.command('trigger')))
    .description('send a test event of a type to your webhooks, or to a receiver on your machine')
    .argument('<type>', 'the event type, such as reward.issue')
    .option('-f, --forward-to <url>', 'sign it here and post it to this URL, instead of to your webhooks')
    .option('--webhook <id>', 'only to this webhook', readId)
    .addOption(json('one JSON document for each request'))
    .action((type: string, options: Options) =>
      select(() =>
        runTrigger(
          {
            type,
            forwardTo: options['forwardTo'] as string | undefined,
            webhook: options['webhook'] as string | undefined,
            json: options['json'] === true,
            settings: settingsOf(options),
          },
          terminal,
        ),
      ),
    );

  const orders = root.command('orders').description('send orders').helpCommand(false);
  withApi(orders.command('send'))
    .description('send the orders of a file')
    .argument(
      '<file>',
      'a JSON array, {"orders": […]}, or one order in each line; - reads the standard input',
    )
    .option('--batch-size <orders>', 'orders in each request, 1 to 1000', batchSizeDefault)
    .option('--strict', 'refuse fields that the API does not know')
    .addOption(json('the result as one JSON document'))
    .action((path: string, options: Options) =>
      select(() =>
        runSendOrders(
          {
            path,
            batchSize: String(options['batchSize']),
            strict: options['strict'] === true,
            json: options['json'] === true,
            settings: settingsOf(options),
          },
          { terminal, input },
        ),
      ),
    );

  withApi(root.command('explain'))
    .description('explain why an order earned a reward or none')
    .argument('<order>', 'the id of the order', readId)
    .addOption(json('the answer of the API'))
    .action((orderId: string, options: Options) =>
      select(() =>
        runExplain({ orderId, json: options['json'] === true, settings: settingsOf(options) }, terminal),
      ),
    );

  withEnvFile(withSigning(root.command('certify')))
    .description(
      'send a receiver genuine, forged, repeated and unusual webhooks, and report what it does wrong',
    )
    .argument('<url>', 'the URL of the receiver, such as http://localhost:4000/webhooks')
    .option('--grants-url <url>', 'a URL of yours that answers with the number of grants of {reward_id}')
    .option('--as-live', 'do not mark the events as tests, so that the receiver grants them')
    .option('--member-id <id>', 'the member of the events')
    .option('--fail-on-warning', 'end with exit code 1 after a warning too')
    .addOption(json('the report as one JSON document'))
    .action((url: string, options: Options) =>
      select(async () =>
        runCertify(
          {
            url,
            signingSecret: settingsOf(options).signingSecret(),
            asLive: options['asLive'] === true,
            memberId: options['memberId'] as string | undefined,
            grantsUrl: options['grantsUrl'] as string | undefined,
            failOnWarning: options['failOnWarning'] === true,
            json: options['json'] === true,
          },
          terminal,
        ),
      ),
    );
  return root;
}

/** An id as a part of a path: these would lead to another path. A variable of the shell that is not set is empty. */
function readId(text: string): string {
  if (['', '.', '..'].includes(text)) throw new InvalidArgumentError('It must be an id.');
  return text;
}

const json = (what: string): Option => new Option('--json', what);

const withEnvFile = (command: Command): Command =>
  command.option('--env-file <path>', 'read variables that are not set in the environment from this file');

const withSigning = (command: Command): Command =>
  command.option('--signing-secret <secret>', 'whsec_…; else REWARDHOOK_SIGNING_SECRET');

const withApi = (command: Command): Command =>
  withEnvFile(command)
    .option('--base-url <url>', 'the URL of the API; else REWARDHOOK_BASE_URL')
    .option(
      '--secret-key <key>',
      'svc_sk_…; else REWARDHOOK_SECRET_KEY, which other users of the machine cannot see',
    );
