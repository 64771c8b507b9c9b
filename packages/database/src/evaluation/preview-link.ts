import { openSimulation } from '@rewardhook/rewards';
import type { Difference, StoredReferral } from '@rewardhook/rewards';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { run, statement } from '../client/statement.ts';
import { useSnapshot } from '../client/read-in-pages.ts';
import { readClock } from '../client/timestamps.ts';
import { dueOrders, readFacts } from './evaluation-input.ts';
import { listOrderStates } from './order-states.ts';
import { countRewardsOfReferrers } from './program-usage.ts';
import { findProgram } from './program-versions.ts';

/** What the orders that a referee has already earn when they are linked. */
export interface LinkPreview {
  /** The first orders that earn something, oldest first, each with its rewards. */
  orders: { orderId: string; rewards: Difference[] }[];
  /** The sums of all of them, by unit. */
  totals: Record<string, number>;
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
    ORDER BY order_date, order_id LIMIT $3`,
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
    const { refereeMemberId } = link;
    const rows = await run(tx, oldestOrdersSql, [merchantId, refereeMemberId, mostOrders + 1]);
    const ids = rows.slice(0, mostOrders).map(({ orderId }) => orderId);
    const complete = rows.length <= mostOrders;
    return { ...(await previewOrders(tx, merchantId, link, ids)), complete };
  });
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
  const referral: StoredReferral = {
    id: '',
    code: '',
    source: 'link',
    referrerMemberId,
    refereeMemberId,
    linkedAt: now,
    review: 'none',
    notNew: false,
    ended: null,
    mergedIds: [],
    other: null,
  };
  const stored = await listOrderStates(tx, merchantId, orderIds);
  const facts = await readFacts(tx, merchantId, stored, new Map([[refereeMemberId, referral]]), [program]);
  const due = dueOrders(facts, now);
  const months = due.map(({ order }) => ({ memberId: referrerMemberId, month: order.month }));
  const byReferrer = await countRewardsOfReferrers(tx, merchantId, program.rule, months);
  const [sum] = await run(tx, findSpentSql, [merchantId]);
  // Two rewards for each listed order, and those of the next one.
  const simulation = openSimulation(program, 2 * mostListed, { spent: Number(sum?.spent ?? 0), byReferrer });
  due.forEach(simulation.add);
  const { gains, difference } = simulation.report();
  const byOrder = new Map<string, Difference[]>();
  for (const gain of gains) byOrder.set(gain.orderId, [...(byOrder.get(gain.orderId) ?? []), gain]);
  const orders = [...byOrder].map(([orderId, rewards]) => ({ orderId, rewards }));
  return { orders: orders.slice(0, mostListed), totals: difference.amounts };
}
