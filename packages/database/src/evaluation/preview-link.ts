import { openSimulation, previewMove as effectsOf } from '@rewardhook/rewards';
import type { Difference, StoredReferral } from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { run, statement } from '../client/statement.ts';
import { useSnapshot } from '../client/read-in-pages.ts';
import { readClock } from '../client/timestamps.ts';
import { resolveMember } from '../members/aliases.ts';
import { dueOrders, readFacts } from './read-facts.ts';
import { listNotifiedEndpoints } from './earlier-rewards.ts';
import { listOrderStates } from './order-states.ts';
import { countRewardsOfReferrers } from './program-usage.ts';
import { findProgram } from './program-versions.ts';
import { listReferralStates } from './referral-states.ts';

/** Rewards of some orders. */
export interface OrderRewards {
  /** The first orders, oldest first, each with its rewards. */
  orders: { orderId: string; rewards: Difference[] }[];
  /** The sums of all of them, by unit. */
  totals: Record<string, number>;
}

/** What the orders that a referee has already earn when they are linked. */
export interface LinkPreview extends OrderRewards {
  /** False when the referee has more orders than are considered. */
  complete: boolean;
}

/** A link that is not stored. */
export interface PreviewedLink {
  referrerMemberId: string;
  refereeMemberId: string;
}

/** Orders that are considered, and of these the ones that are listed. */
const mostOrders = 1_000;
const mostListed = 20;

const oldestOrdersSql = statement<{ orderId: string }, [merchantId: string, memberId: string, limit: number]>(
  {
    name: 'list the oldest orders of a member',
    parameters: ['text', 'text', 'bigint'],
    columns: { orderId: 'text' },
    text: `
    SELECT order_id AS "orderId" FROM orders WHERE merchant_id = $1 AND member_id = $2
    ORDER BY order_date, order_id COLLATE "C" LIMIT $3`,
  },
);

const findSpentSql = statement<{ spent: string }, [merchantId: string]>({
  name: 'find the sum of live rewards',
  parameters: ['text'],
  columns: { spent: 'numeric' },
  text: 'SELECT spent FROM programs WHERE merchant_id = $1',
});

/** Decides what the orders of a referee would earn if they were linked now, as the evaluation would, limits included. Changes nothing. */
export function previewLink(database: Sql, merchantId: string, link: PreviewedLink): Promise<LinkPreview> {
  return transact(database, async (tx) => {
    await useSnapshot(tx);
    const { ids, complete } = await listOldestOrders(tx, merchantId, link);
    return { ...(await previewOrders(tx, merchantId, link, ids)), complete };
  });
}

async function listOldestOrders(tx: Queryable, merchantId: string, link: { refereeMemberId: string }) {
  const rows = await run(tx, oldestOrdersSql, [merchantId, link.refereeMemberId, mostOrders + 1]);
  const ids = rows.slice(0, mostOrders).map(({ orderId }) => orderId);
  return { ids, complete: rows.length <= mostOrders };
}

async function previewOrders(
  tx: Queryable,
  merchantId: string,
  { referrerMemberId, refereeMemberId }: PreviewedLink,
  orderIds: string[],
): Promise<Pick<LinkPreview, 'orders' | 'totals'>> {
  const program = orderIds.length > 0 ? await findProgram(tx, merchantId) : undefined;
  if (!program) return { orders: [], totals: {} };
  const now = await readClock(tx);
  const referral = newLink({ referrerMemberId, refereeMemberId }, now);
  const stored = await listOrderStates(tx, merchantId, orderIds);
  const facts = await readFacts(tx, merchantId, stored, new Map([[refereeMemberId, referral]]), [program]);
  const due = dueOrders(facts, now);
  const months = due.map(({ order }) => ({ memberId: referrerMemberId, month: order.month }));
  const byReferrer = await countRewardsOfReferrers(tx, merchantId, program.terms, months);
  const [sum] = await run(tx, findSpentSql, [merchantId]);
  // Two rewards for each listed order, and those of the next one.
  const simulation = openSimulation(program, 2 * mostListed, { spent: Number(sum?.spent ?? 0), byReferrer });
  due.forEach(simulation.add);
  const { gains, difference } = simulation.report();
  return { orders: listedByOrder(gains), totals: difference.amounts };
}

function newLink({ referrerMemberId, refereeMemberId }: PreviewedLink, linkedAt: string): StoredReferral {
  return {
    id: '',
    code: '',
    source: 'link',
    referrerMemberId,
    refereeMemberId,
    linkedAt,
    review: 'none',
    hadOrderBefore: false,
    ended: null,
    mergedIds: [],
    moves: 0,
    fromOrderId: null,
    other: null,
  };
}

function listedByOrder(rewards: Difference[]): OrderRewards['orders'] {
  const byOrder = new Map<string, Difference[]>();
  for (const reward of rewards) byOrder.set(reward.orderId, [...(byOrder.get(reward.orderId) ?? []), reward]);
  return [...byOrder].slice(0, mostListed).map(([orderId, ofOrder]) => ({ orderId, rewards: ofOrder }));
}

/** A link that is not moved yet. */
export interface PreviewedMove extends PreviewedLink {
  fromOrderId: string | null;
  /** Whether a referee without a link gets one also without an order. */
  linksWithoutOrder?: boolean;
}

/** What evaluations take back and give when a link is moved, and the number of these rewards. */
export interface MovePreview {
  withdrawn: OrderRewards & { rewards: number };
  given: OrderRewards & { rewards: number };
  /** False when the referee has more orders than are considered. */
  complete: boolean;
}

/** A move that changes no reward. */
export const noEffects: MovePreview = {
  withdrawn: { rewards: 0, orders: [], totals: {} },
  given: { rewards: 0, orders: [], totals: {} },
  complete: true,
};

/** Decides what the orders of a referee would lose and earn if their link were moved now, limits included. Changes nothing. */
export function previewMove(database: Sql, merchantId: string, given: PreviewedMove): Promise<MovePreview> {
  return transact(database, async (tx) => {
    await useSnapshot(tx);
    // A former id of a merged member means the surviving one.
    const [refereeMemberId, referrerMemberId] = await Promise.all([
      resolveMember(tx, merchantId, given.refereeMemberId),
      resolveMember(tx, merchantId, given.referrerMemberId),
    ]);
    const move = { ...given, refereeMemberId, referrerMemberId };
    const program = await findProgram(tx, merchantId);
    const now = await readClock(tx);
    const moved = await movedReferral(tx, merchantId, move, now);
    if (!program || !moved) return noEffects;
    const { ids, complete } = await listOldestOrders(tx, merchantId, move);
    const stored = await listOrderStates(tx, merchantId, ids);
    const facts = await readFacts(tx, merchantId, stored, new Map([[refereeMemberId, moved]]), [program]);
    const due = dueOrders(facts, now);
    const months = due.map(({ order }) => ({ memberId: referrerMemberId, month: order.month }));
    const confirmed = due.flatMap(({ rewards }) => rewards.filter(({ state }) => state === 'confirmed'));
    const endpoints = await listNotifiedEndpoints(tx, merchantId, [
      ...new Set(confirmed.map(({ id }) => id)),
    ]);
    const withEndpoints = due.map((one) => ({
      ...one,
      rewards: one.rewards.map((reward) => ({
        ...reward,
        notifiedEndpoints: endpoints.get(reward.id) ?? reward.notifiedEndpoints,
      })),
    }));
    const byReferrer = await countRewardsOfReferrers(
      tx,
      merchantId,
      program.terms,
      months,
      facts.rewards.count,
    );
    const [sum] = await run(tx, findSpentSql, [merchantId]);
    const effects = effectsOf(withEndpoints, program, { spent: Number(sum?.spent ?? 0), byReferrer });
    return { withdrawn: viewOf(effects.withdrawn), given: viewOf(effects.given), complete };
  });
}

/** The referral as it would be; undefined when it would not be made. */
async function movedReferral(
  tx: Queryable,
  merchantId: string,
  { refereeMemberId, referrerMemberId, fromOrderId, linksWithoutOrder = false }: PreviewedMove,
  now: string,
): Promise<StoredReferral | undefined> {
  const [from] = fromOrderId === null ? [] : await listOrderStates(tx, merchantId, [fromOrderId]);
  const former = (await listReferralStates(tx, merchantId, [refereeMemberId])).get(refereeMemberId);
  const isMade = from
    ? from.order.memberId === refereeMemberId
    : fromOrderId === null && (former !== undefined || linksWithoutOrder);
  if (!isMade) return undefined;
  const link = former ?? newLink({ refereeMemberId, referrerMemberId }, now);
  const changes = { referrerMemberId, ...(from && { linkedAt: from.order.orderDate }) };
  return {
    ...link,
    ...changes,
    moves: link.moves + 1,
    ...(from && { fromOrderId }),
    other: link.other && { ...link.other, ...changes },
  };
}

function viewOf(rewards: Difference[]): MovePreview['given'] {
  const totals: Record<string, number> = {};
  for (const { unit, amount } of rewards) totals[unit] = (totals[unit] ?? 0) + amount;
  return { rewards: rewards.length, orders: listedByOrder(rewards), totals };
}
