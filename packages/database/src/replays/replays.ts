import { instantOf, newId } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';
import { LimitReached } from '../merchants/account-limits.ts';
import { lockMerchant } from '../merchants/merchants.ts';
import type { ReplayState } from '../states.ts';
import { previewReplayWithin } from './preview-replay.ts';
import type { PartialReplayPreview } from './preview-replay.ts';
import type { ReplayableState, ReplayFilter } from './replay-filter.ts';

/** A replay. Its cursor is not part of it. */
export interface ReplayRow {
  id: string;
  /** Null for all endpoints. */
  endpointId: string | null;
  states: ReplayableState[];
  /** Answers to their last attempts; empty for all. */
  answers: string[];
  fromTime: Date;
  untilTime: Date;
  newIds: boolean;
  perMinute: number;
  state: ReplayState;
  /** Deliveries that were selected when it was created, and those resent so far. */
  total: number;
  /** False when there are too many to count them at creation: `total` is then the least there are, until it is done. */
  totalComplete: boolean;
  done: number;
  /** When the next batch is due. */
  nextAt: Date;
  createdAt: Date;
  finishedAt: Date | null;
}

/** Milliseconds for which the creation of a replay counts its deliveries. */
export const replayCountMs = 100;

/** Columns that are not part of a replay. */
const omit = { merchantId: true, cursorTime: true, cursorId: true } as const;

const rowOf = <Row extends { states: string[]; state: string }>(row: Row) => ({
  ...row,
  states: row.states as ReplayableState[],
  state: row.state as ReplayState,
});

/**
 * Starts a replay: webhook-delivery sends the selected deliveries again, oldest first, `perMinute` a minute. At most
 * `maxOpen` replays of a merchant are running or paused. Returns it with its preview, which counts for
 * `countMs`. @throws LimitReached
 */
export async function createReplay(
  database: Database,
  merchantId: string,
  {
    perMinute,
    maxOpen,
    countMs = replayCountMs,
    ...filter
  }: ReplayFilter & { perMinute: number; maxOpen: number; countMs?: number },
): Promise<{ replay: ReplayRow; preview: PartialReplayPreview }> {
  const { endpointId, states, answers, from, newIds } = filter;
  const now = instantOf(await readTime(database));
  // Deliveries that are created later are not selected: among them are those that the replay adds.
  const until = filter.until < now ? filter.until : now;
  await requireReplayLimit(database, merchantId, maxOpen);
  const preview = await previewReplayWithin(database, merchantId, { ...filter, until }, countMs);
  const replay = await database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    await requireReplayLimit(tx, merchantId, maxOpen);
    const { total, complete: totalComplete } = preview;
    const range = { fromTime: from, untilTime: until };
    const selection = { endpointId, states, answers, newIds, perMinute, total, totalComplete };
    const data = { merchantId, id: newId('rpl'), ...selection, ...range };
    const inserted = await tx.replay.create({ data, omit });
    await audit(tx, { subjectId: data.id, details: { ...selection, from, until } });
    return rowOf(inserted);
  });
  return { replay, preview };
}

async function requireReplayLimit(prisma: Transaction, merchantId: string, maxOpen: number): Promise<void> {
  const open = await prisma.replay.count({ where: { merchantId, state: { in: ['running', 'paused'] } } });
  if (open >= maxOpen) throw new LimitReached({ code: 'active_replays', parameters: { limit: maxOpen } });
}

/** A replay of the merchant, or undefined. */
export async function findReplay(
  database: Database,
  merchantId: string,
  id: string,
): Promise<ReplayRow | undefined> {
  const where = { merchantId_id: { merchantId, id } };
  const replay = await database.replay.findUnique({ where, omit });
  return replay ? rowOf(replay) : undefined;
}

/** A merchant's newest replays. */
export async function listReplays(
  database: Database,
  merchantId: string,
  { limit }: { limit: number },
): Promise<ReplayRow[]> {
  const replays = await database.replay.findMany({
    where: { merchantId },
    omit,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
  });
  return replays.map(rowOf);
}

/** Pauses a running replay; deliveries that are due already are sent. False when it is not running. */
export function pauseReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return updateState(database, { merchantId, id, from: ['running'], to: 'paused' });
}

/** Resumes a paused replay at its cursor. False when it is not paused. */
export function resumeReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return updateState(database, { merchantId, id, from: ['paused'], to: 'running' });
}

/** Cancels a replay; deliveries that are due already are sent. False when it has ended. */
export function cancelReplay(database: Database, merchantId: string, id: string): Promise<boolean> {
  return updateState(database, { merchantId, id, from: ['running', 'paused'], to: 'cancelled' });
}

function updateState(
  database: Database,
  { merchantId, id, from, to }: { merchantId: string; id: string; from: ReplayState[]; to: ReplayState },
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const updated = await tx.replay.updateMany({
      where: { merchantId, id, state: { in: from } },
      data: { state: to, finishedAt: to === 'cancelled' ? await readTime(tx) : null },
    });
    if (updated.count === 0) return false;
    await audit(tx);
    return true;
  });
}
