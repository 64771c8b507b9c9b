import { newId } from '@rewardhook/contract';
import { preferIndexes } from '../client/read-in-pages.ts';
import { transact } from '../client/client.ts';
import type { Database, PrismaTransaction } from '../client/client.ts';
import { LimitReached } from '../merchants/account-limits.ts';
import { lockMerchant } from '../merchants/lock-merchant.ts';
import { beginning, looked, meant } from './replay-filter.ts';
import type { ReplayableState, ReplayFilter, ReplaySkip } from './replay-filter.ts';

/** What a replay would send, and what it would leave out. */
export interface ReplayPreview {
  /** Deliveries that would be sent again. */
  total: number;
  counts: { endpointId: string; state: ReplayableState; count: number }[];
  skipped: { endpointId: string; reason: ReplaySkip; count: number }[];
}

/** Deliveries that are looked at in one statement: each is short, however many there are. */
const lookedAtOnce = 10_000;

interface Counted {
  endpoint: string;
  state: ReplayableState;
  skip: ReplaySkip | null;
  count: number;
}

/** Counts what a replay would come to now; changes nothing. */
export async function previewReplay(
  database: Database,
  merchantId: string,
  filter: ReplayFilter,
): Promise<ReplayPreview> {
  const sums = new Map<string, Counted>();
  await readLooks(database, merchantId, filter, (counted) => {
    for (const one of counted) {
      const key = JSON.stringify([one.endpoint, one.skip ?? '', one.skip === null ? one.state : '']);
      const sum = sums.get(key);
      if (sum) sum.count += one.count;
      else sums.set(key, { ...one });
    }
  });
  const sorted = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
  const counts = sorted
    .filter(({ skip }) => skip === null)
    .map(({ endpoint, state, count }) => ({ endpointId: endpoint, state, count }));
  const skipped = sorted.flatMap(({ endpoint, skip, count }) =>
    skip === null ? [] : [{ endpointId: endpoint, reason: skip, count }],
  );
  return { total: counts.reduce((sum, { count }) => sum + count, 0), counts, skipped };
}

async function readLooks(
  database: Database,
  merchantId: string,
  { endpointId, states, from, until, newIds }: ReplayFilter,
  visit: (counted: Counted[]) => void,
): Promise<void> {
  const values = [merchantId, states, newIds, null, from, until, endpointId];
  await transact(database, async (tx) => {
    await preferIndexes(tx);
    let cursor = beginning;
    for (let more = true; more;) {
      const [look] = await tx.query<{ counted: Counted[]; looked: number } & typeof beginning>(
        `WITH ${looked}, counted AS (
           SELECT d.endpoint_id AS endpoint, d.state, skip, count(*)::int AS count ${meant} GROUP BY 1, 2, 3
         )
         SELECT coalesce((SELECT jsonb_agg(counted) FROM counted), '[]') AS counted,
           (SELECT count(*)::int FROM looked) AS looked, last.created_at::text AS "cursorTime", last.id::text AS "cursorId"
         FROM (SELECT 1) one
         LEFT JOIN LATERAL (SELECT * FROM looked ORDER BY created_at DESC, id DESC LIMIT 1) last ON true`,
        [...values, cursor.cursorTime, cursor.cursorId, lookedAtOnce],
      );
      if (look) visit(look.counted);
      more = look?.looked === lookedAtOnce;
      if (look && more) cursor = look;
    }
  });
}

/**
 * Starts a replay: the sweeper of webhook-delivery sends its deliveries again, oldest first, so many a minute.
 * At most `atOnce` of a merchant are running or paused. Returns it with its preview. @throws LimitReached
 */
export async function createReplay(
  database: Database,
  merchantId: string,
  { perMinute, atOnce, ...filter }: ReplayFilter & { perMinute: number; atOnce: number },
): Promise<{ replay: ReplayRow; preview: ReplayPreview }> {
  const { endpointId, states, from, newIds } = filter;
  const now = new Date();
  // What comes later, its own deliveries included, is not meant.
  const until = filter.until < now ? filter.until : now;
  await requireFewReplays(database, merchantId, atOnce);
  const preview = await previewReplay(database, merchantId, { ...filter, until });
  const replay = await database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    await requireFewReplays(tx, merchantId, atOnce);
    return tx.replay.create({
      data: {
        merchantId,
        id: newId('rpl'),
        endpointId,
        states,
        fromTime: from,
        untilTime: until,
        newIds,
        perMinute,
        total: preview.total,
      },
      omit: hidden,
    });
  });
  return { replay, preview };
}

async function requireFewReplays(
  database: PrismaTransaction,
  merchantId: string,
  atOnce: number,
): Promise<void> {
  const open = await database.replay.count({ where: { merchantId, state: { in: ['running', 'paused'] } } });
  if (open >= atOnce) throw new LimitReached({ code: 'active_replays', parameters: { limit: atOnce } });
}

/** Where exactly a replay stands is its own matter. */
const hidden = { merchantId: true, cursorTime: true, cursorId: true } as const;

/** A replay as its merchant sees it. */
export type ReplayRow = NonNullable<Awaited<ReturnType<typeof findReplay>>>;

/** A merchant's replay, or null. */
export function findReplay(database: Database, merchantId: string, id: string) {
  return database.replay.findUnique({ where: { merchantId_id: { merchantId, id } }, omit: hidden });
}

/** A merchant's replays, newest first. */
export function listReplays(
  database: Database,
  merchantId: string,
  { limit }: { limit: number },
): Promise<ReplayRow[]> {
  return database.replay.findMany({
    where: { merchantId },
    omit: hidden,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
  });
}

/** Stops a running replay for now; what it made due already is sent. False when it does not run. */
export function pauseReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return move(database, merchantId, id, ['running'], { state: 'paused' });
}

/** Goes on with a paused replay where it stopped. False when it is not paused. */
export function resumeReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return move(database, merchantId, id, ['paused'], { state: 'running' });
}

/** Ends a replay for good; what it made due already is sent. False when it has ended. */
export function cancelReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return move(database, merchantId, id, ['running', 'paused'], {
    state: 'cancelled',
    finishedAt: new Date(),
  });
}

async function move(
  database: Database,
  merchantId: string,
  id: string,
  from: string[],
  data: { state: string; finishedAt?: Date },
): Promise<boolean> {
  const { count } = await database.replay.updateMany({
    where: { merchantId, id, state: { in: from } },
    data,
  });
  return count === 1;
}
