import { attemptErrors } from '@rewardhook/contract';
import {
  answerClasses,
  cancelReplay,
  createReplay,
  findReplay,
  isDeliveryAnswer,
  listEndpoints,
  listReplays,
  noteUnchanged,
  pauseReplay,
  previewReplay,
  replayableStates,
  resumeReplay,
} from '@rewardhook/database';
import type {
  AuditAction,
  Database,
  DeliveryAnswer,
  ReplayableState,
  ReplayFilter,
  ReplayRow,
} from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { readFlag, readLimit, readTime, requireMerchant } from '../option-values.ts';

/** All deliveries until now, by the clock of the database. */
const noEnd = '9999-12-31T23:59:59.999999Z';

const stateNames = replayableStates.join(', ');

export const replayCreate = command({
  description:
    'Send deliveries again, oldest first, at a limited rate. Pending deliveries are never selected. Check the selection with --dry-run first.',
  audit: 'replay.created',
  required: {
    merchant: 'merchant id',
    states: `comma-separated: ${stateNames}`,
    from: 'deliveries created from this day or date-time on',
    'per-minute': 'deliveries per minute, 1 to 60000',
  },
  optional: {
    until: 'deliveries created before this day or date-time (default now)',
    webhook: 'webhook id (default: all webhooks)',
    answers:
      'comma-separated: 2xx, 3xx, 4xx, 5xx, a status, none (no response) or an error such as timeout (default: all)',
    'new-ids': 'true gives each a new delivery id, so that receivers handle it as new (default false)',
  },
  flags: { 'dry-run': 'only count the deliveries' },
  async run(options, { database, webhookLimits }) {
    const { merchant } = options;
    await requireMerchant(database, merchant);
    const perMinute = readRate(options.perMinute);
    const filter = await readFilter(database, merchant, options);
    if (options.dryRun !== undefined) {
      noteUnchanged();
      return { document: { dryRun: true, ...(await previewReplay(database, merchant, filter)) } };
    }
    const { replay, preview } = await createReplay(database, merchant, {
      ...filter,
      perMinute,
      maxOpen: webhookLimits.replaysAtOnce,
    });
    return { document: { replay: show(replay), ...preview } };
  },
});

export const replayList = command({
  description: "List a merchant's replays, newest first.",
  audit: null,
  required: { merchant: 'merchant id' },
  optional: { limit: '1 to 1000 (default 100)' },
  async run({ merchant, limit = '100' }, { database }) {
    await requireMerchant(database, merchant);
    const replays = await listReplays(database, merchant, { limit: readLimit(limit) });
    return { document: { replays: replays.map(show) } };
  },
});

const required = { merchant: 'merchant id', replay: 'replay id (see replay list)' };

export const replayShow = command({
  description: 'Show the progress of a replay.',
  audit: null,
  required,
  async run({ merchant, replay }, { database }) {
    return { document: show(await requireReplay(database, merchant, replay)) };
  },
});

export const replayPause = change(
  'Pause a running replay. Deliveries that are due already are sent.',
  pauseReplay,
  'replay.paused',
);
export const replayResume = change(
  'Resume a paused replay where it stopped.',
  resumeReplay,
  'replay.resumed',
);
export const replayCancel = change(
  'Cancel a replay. Deliveries that are due already are sent.',
  cancelReplay,
  'replay.cancelled',
);

/** A command that changes the state of a replay. */
function change(
  description: string,
  move: (database: Database, merchantId: string, id: string) => Promise<boolean>,
  audit: AuditAction,
) {
  return command({
    description,
    audit,
    required,
    async run({ merchant, replay }, { database }) {
      const moved = await move(database, merchant, replay);
      const found = await requireReplay(database, merchant, replay);
      if (!moved) throw new UsageError(`The replay ${replay} is ${found.state}: this cannot be done.`);
      return { document: show(found) };
    },
  });
}

async function requireReplay(database: Database, merchantId: string, id: string): Promise<ReplayRow> {
  const found = await findReplay(database, merchantId, id);
  if (!found) throw new UsageError(`Merchant ${merchantId} has no replay ${id}.`);
  return found;
}

/** A replay with the minutes that it takes to its end at its rate. */
function show(replay: ReplayRow) {
  const left = ['running', 'paused'].includes(replay.state) ? Math.max(0, replay.total - replay.done) : 0;
  return { ...replay, minutesLeft: Math.ceil(left / replay.perMinute) };
}

/** Reads which deliveries a replay selects. @throws UsageError */
async function readFilter(
  database: Database,
  merchantId: string,
  options: {
    states: string;
    from: string;
    until?: string;
    webhook?: string;
    answers?: string;
    newIds?: string;
  },
): Promise<ReplayFilter> {
  const { webhook } = options;
  const states = [...new Set(options.states.split(',').map((state) => state.trim()))];
  if (!states.every(isReplayable)) throw new UsageError(`--states must be one or more of ${stateNames}.`);
  const from = (await readTime(database, merchantId, '--from', options.from)) as string;
  const until = (await readTime(database, merchantId, '--until', options.until)) ?? noEnd;
  if (from >= until) throw new UsageError('--from must be before --until.');
  if (webhook !== undefined && !(await listEndpoints(database, merchantId)).some(({ id }) => id === webhook))
    throw new UsageError(`Merchant ${merchantId} has no webhook ${webhook}.`);
  return {
    endpointId: webhook ?? null,
    states,
    answers: readAnswers(options.answers),
    from,
    until,
    newIds: readFlag('--new-ids', options.newIds),
  };
}

/** Reads the answers to last attempts; empty selects all. @throws UsageError */
function readAnswers(text: string | undefined): DeliveryAnswer[] {
  const answers = [...new Set(text?.split(',').map((answer) => answer.trim()))];
  const unknown = answers.find((answer) => !isDeliveryAnswer(answer));
  if (unknown !== undefined)
    throw new UsageError(
      `--answers: ${unknown} is not one of ${[...answerClasses, 'none', ...attemptErrors].join(', ')} or a status.`,
    );
  return answers.filter(isDeliveryAnswer);
}

/** Reads deliveries per minute. @throws UsageError */
function readRate(text: string): number {
  const perMinute = Number(text);
  if (!(Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= 60_000))
    throw new UsageError('--per-minute must be a whole number from 1 to 60000.');
  return perMinute;
}

function isReplayable(state: string): state is ReplayableState {
  return (replayableStates as readonly string[]).includes(state);
}
