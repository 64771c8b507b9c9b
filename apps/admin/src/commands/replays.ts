import {
  cancelReplay,
  createReplay,
  findReplay,
  listReplays,
  pauseReplay,
  previewReplay,
  resumeReplay,
} from '@rewardhook/database';
import type { Database, ReplayRow } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { readFlag } from '../read-linking.ts';
import { readLimit } from '../read-limit.ts';
import { requireMerchant } from '../require-merchant.ts';
import { readReplayFilter, readReplayPace, replayableList } from './read-replay.ts';

export const replayCreate = command({
  does: 'Send deliveries again, oldest first, at a pace. Pending ones are never meant. Look with --dry-run true first.',
  required: {
    merchant: 'merchant id',
    states: `comma-separated: ${replayableList}`,
    from: 'deliveries made from this day or moment on',
    'per-minute': 'most deliveries a minute, 1 to 60000',
  },
  optional: {
    until: 'deliveries made before this day or moment (default now)',
    webhook: 'webhook id; all webhooks when left out',
    'new-ids': 'true gives each a new delivery id, so that receivers take it for new (default false)',
    'dry-run': 'true only counts (default false)',
  },
  async run(options, { database, webhookLimits }) {
    const { merchant, 'dry-run': dryRun } = options;
    await requireMerchant(database, merchant);
    const perMinute = readReplayPace(options['per-minute']);
    const filter = await readReplayFilter(database, merchant, options);
    if (dryRun !== undefined && readFlag('--dry-run', dryRun))
      return { document: { dryRun: true, ...(await previewReplay(database, merchant, filter)) } };
    const { replay, preview } = await createReplay(database, merchant, {
      ...filter,
      perMinute,
      maxOpen: webhookLimits.replaysAtOnce,
    });
    return { document: { replay: show(replay), ...preview } };
  },
});

export const replayList = command({
  does: "List a merchant's replays, newest first.",
  required: { merchant: 'merchant id' },
  optional: { limit: '1 to 1000 (default 100)' },
  async run({ merchant, limit = '100' }, { database }) {
    await requireMerchant(database, merchant);
    const replays = await listReplays(database, merchant, { limit: readLimit(limit) });
    return { document: { replays: replays.map(show) } };
  },
});

const named = { merchant: 'merchant id', replay: 'replay id (see replay list)' };

export const replayShow = command({
  does: 'Show how far a replay is.',
  required: named,
  async run({ merchant, replay }, { database }) {
    return { document: show(await requireReplay(database, merchant, replay)) };
  },
});

export const replayPause = change(
  'Stop a running replay for now. What it made due already is sent.',
  pauseReplay,
);
export const replayResume = change('Go on with a paused replay where it stopped.', resumeReplay);
export const replayCancel = change('End a replay for good. What it made due already is sent.', cancelReplay);

/** A command that moves a replay to another state. */
function change(
  does: string,
  move: (database: Database, merchantId: string, id: string) => Promise<boolean>,
) {
  return command({
    does,
    required: named,
    async run({ merchant, replay }, { database }) {
      const moved = await move(database, merchant, replay);
      const found = await requireReplay(database, merchant, replay);
      if (!moved) throw new UsageError(`The replay ${replay} is ${found.state}: that cannot be done.`);
      return { document: show(found) };
    },
  });
}

async function requireReplay(database: Database, merchantId: string, id: string): Promise<ReplayRow> {
  const found = await findReplay(database, merchantId, id);
  if (!found) throw new UsageError(`Merchant ${merchantId} has no replay ${id}.`);
  return found;
}

/** With the minutes that are left at its pace, while there are any. */
function show(replay: ReplayRow) {
  const left = ['running', 'paused'].includes(replay.state) ? Math.max(0, replay.total - replay.done) : 0;
  return { ...replay, minutesLeft: Math.ceil(left / replay.perMinute) };
}
