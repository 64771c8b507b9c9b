import { deriveId } from '@rewardhook/contract';
import { correctOrder, laterOf, manualSubject } from '@rewardhook/rewards';
import type { Correction, CorrectionInput, Program, Role } from '@rewardhook/rewards';
import { ActRefused } from '../acts.ts';
import type { Act, ActResult } from '../acts.ts';
import { audit, noteUnchanged } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { retryConflicts, TransactionConflict, uniqueViolation } from '../client/database-errors.ts';
import { lockKey } from '../client/lock-key.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import { readClock } from '../client/timestamps.ts';
import { addChanges, noRows } from '../evaluation/decision-rows.ts';
import { listNotifiedEndpoints } from '../evaluation/earlier-rewards.ts';
import { lockRows } from '../evaluation/lock-rows.ts';
import { listOrderStates } from '../evaluation/order-states.ts';
import type { StoredOrder } from '../evaluation/order-states.ts';
import { countRewardsOfReferrers, referrerMonths } from '../evaluation/program-usage.ts';
import { dueOrders, readFacts } from '../evaluation/read-facts.ts';
import type { DueOrder } from '../evaluation/read-facts.ts';
import { writeRows } from '../evaluation/write-rows.ts';

/** What a person asks for: a reward for an order, or a change of one. */
export type CorrectionRequest =
  | {
      kind: 'grant';
      orderId: string;
      role: Role;
      type: 'points' | 'coupon';
      unit: string;
      amount: number;
      exceedLimits: boolean;
      another: boolean;
    }
  | { kind: 'adjust'; rewardId: string; amount: number; exceedLimits: boolean }
  | { kind: 'revoke'; rewardId: string };

/** A correction by a person. */
export interface RewardCorrection extends Omit<Act, 'dryRun'> {
  request: CorrectionRequest;
}

/** What was done. */
export interface CorrectedReward extends ActResult {
  /** The reward that was given or revoked, or the one with the new amount. */
  rewardId: string;
}

/**
 * Grants, adjusts or revokes a reward for a person, with its events and deliveries, in one transaction with the locks of an
 * evaluation. A `key` that was used before returns what was done then.
 * @throws ActRefused
 */
export function correctReward(
  database: Sql,
  { merchantId, request, by, key, reason }: RewardCorrection,
): Promise<CorrectedReward> {
  const correct = async (tx: Queryable): Promise<CorrectedReward> => {
    await lockKey(tx, merchantId, key);
    const [earlier] = await run(tx, findCorrectionSql, [merchantId, key]);
    if (earlier) {
      if (earlier.request !== textOf(request))
        throw new ActRefused({ code: 'key_reused', act: 'correction' });
      noteUnchanged();
      return { rewardId: earlier.rewardId, isNew: false, endpointIds: [], enqueued: [] };
    }
    const orderId = await findOrderId(tx, merchantId, request);
    const locked = await lockOrder(tx, merchantId, orderId);
    const { orders, now, due, program } = locked;
    const rows = noRows();
    const input = await inputOf(tx, merchantId, locked);
    const result = correctOrder(input, correctionOf(request, program, key));
    if ('refusal' in result) throw new ActRefused(result.refusal);
    const changes = { ...result.changes, program, reason: 'revoked_by_person' as const };
    const at = laterOf(now, due.notBefore);
    const [given] = addChanges(rows, input, changes, { merchantId, at });
    const { changed, endpointIds, enqueued } = await writeRows(
      tx,
      merchantId,
      { orders, requests: noRequests },
      rows,
    );
    // Without a live referral no lock keeps two corrections of one order apart.
    if ([...rows.withdrawn, ...rows.amended].some(({ id }) => !changed.has(id)))
      throw new TransactionConflict('the reward was changed meanwhile');
    const rewardId = given?.id ?? rows.rewards[0]?.id ?? ('rewardId' in request ? request.rewardId : '');
    if (request.kind !== 'grant') await run(tx, markSql, [merchantId, rewardId, marks[request.kind]]);
    await run(tx, insertCorrectionSql, [
      ...([merchantId, key, orderId, rewardId, request.kind, textOf(request), reason, by, at] as const),
    ]);
    await audit(tx, { subjectId: rewardId, details: { kind: request.kind } });
    return { rewardId, isNew: true, endpointIds, enqueued };
  };
  return retryConflicts(() => transact(database, correct), uniqueViolation);
}

/** A request as JSON, with its fields in one order. */
const textOf = (request: CorrectionRequest) => JSON.stringify(request, Object.keys(request).toSorted());

const marks = { adjust: 'adjusted', revoke: 'revoked' };

const noRequests = { ofOrder: () => undefined, only: undefined };

function correctionOf(request: CorrectionRequest, { id }: Program, key: string): Correction {
  if (request.kind !== 'grant') return request;
  const { orderId: _order, ...grant } = request;
  return { ...grant, subject: manualSubject(deriveId('man', id, key)) };
}

/** The order of a request. @throws ActRefused when the merchant has none */
async function findOrderId(tx: Queryable, merchantId: string, request: CorrectionRequest): Promise<string> {
  if (request.kind === 'grant') return request.orderId;
  const [reward] = await run(tx, findOrderOfRewardSql, [merchantId, request.rewardId]);
  if (!reward) throw new ActRefused({ code: 'not_found' });
  return reward.orderId;
}

interface LockedOrder {
  orders: StoredOrder[];
  now: string;
  due: DueOrder;
  program: Program;
  spent: number;
  manualRewardLimit: number;
}

/** Takes the locks of an evaluation of one order, in its order, and reads what it reads. @throws ActRefused */
async function lockOrder(tx: Queryable, merchantId: string, orderId: string): Promise<LockedOrder> {
  const [known] = await listOrderStates(tx, merchantId, [orderId]);
  if (!known) throw new ActRefused({ code: 'not_found' });
  const { memberId } = known.order;
  const locked = await lockRows(tx, merchantId, { memberIds: [memberId], orderIds: [orderId] });
  if (!locked) throw new ActRefused({ code: 'not_found' });
  const { referrals, program, spent, orders } = locked;
  if (orders[0]?.order.memberId !== memberId) throw new TransactionConflict('the order has moved');
  const [facts, now, [merchant]] = await Promise.all([
    readFacts(tx, merchantId, orders, referrals, [program]),
    readClock(tx),
    run(tx, findMerchantSql, [merchantId]),
  ]);
  const [due] = dueOrders(facts, now);
  if (!due || !merchant) throw new ActRefused({ code: 'not_found' });
  // A reward for an order that is not paid counts in the month in which it is given.
  const month = due.order.month ?? merchant.month;
  const manualRewardLimit = Number(merchant.manualRewardLimit);
  return { orders, now, due: { ...due, order: { ...due.order, month } }, program, spent, manualRewardLimit };
}

/** The input of a correction: that of an evaluation, with the notified endpoints of every reward that was issued. */
async function inputOf(
  tx: Queryable,
  merchantId: string,
  { due, program, spent, manualRewardLimit }: LockedOrder,
): Promise<DueOrder & CorrectionInput> {
  const { order, referral } = due;
  const issued = due.rewards.filter(({ state }) => state === 'confirmed' || state === 'revoked');
  const [byReferrer, endpoints] = await Promise.all([
    countRewardsOfReferrers(tx, merchantId, program.terms, referrerMonths([due])),
    listNotifiedEndpoints(
      tx,
      merchantId,
      issued.map(({ id }) => id),
    ),
  ]);
  const used = byReferrer.get(referral?.referrerMemberId ?? '');
  return {
    ...due,
    program,
    manualRewardLimit,
    // A correction does not move a reward to another order.
    earlierFirstOrder: null,
    holder: 'earlier',
    rewards: due.rewards.map((reward) => ({ ...reward, notifiedEndpoints: endpoints.get(reward.id) ?? [] })),
    usage: {
      referrerTotal: used?.total ?? 0,
      referrerMonth: used?.months.get(order.month ?? '') ?? 0,
      spent,
    },
  };
}

const findCorrectionSql = statement<{ rewardId: string; request: string }, [merchantId: string, key: string]>(
  {
    name: 'find a correction of a reward',
    parameters: ['text', 'text'],
    columns: { rewardId: 'text', request: 'text' },
    text: 'SELECT reward_id AS "rewardId", request FROM reward_corrections WHERE merchant_id = $1 AND key = $2',
  },
);

/** `month`: the one that it is for the merchant, `2026-11`. */
const findMerchantSql = statement<{ month: string; manualRewardLimit: string }, [merchantId: string]>({
  name: 'find what a correction reads of its merchant',
  parameters: ['text'],
  columns: { month: 'text', manualRewardLimit: 'bigint' },
  text: `
    SELECT to_char(clock_timestamp() AT TIME ZONE rules.known_zone(timezone), 'YYYY-MM') AS month,
      manual_reward_limit AS "manualRewardLimit"
    FROM merchants WHERE id = $1`,
});

const findOrderOfRewardSql = statement<{ orderId: string }, [merchantId: string, rewardId: string]>({
  name: 'find the order of a reward',
  parameters: ['text', 'text'],
  columns: { orderId: 'text' },
  text: 'SELECT order_id AS "orderId" FROM rewards WHERE merchant_id = $1 AND id = $2',
});

const markSql = statement<NoRow, [merchantId: string, rewardId: string, correction: string]>({
  name: 'mark a corrected reward',
  parameters: ['text', 'text', 'text'],
  columns: {},
  text: 'UPDATE rewards SET correction = $3 WHERE merchant_id = $1 AND id = $2',
});

const insertCorrectionSql = statement<
  NoRow,
  [
    merchantId: string,
    key: string,
    orderId: string,
    rewardId: string,
    kind: string,
    request: string,
    reason: string,
    by: string,
    at: string,
  ]
>({
  name: 'insert a correction of a reward',
  parameters: ['text', 'text', 'text', 'text', 'text', 'text', 'text', 'text', 'timestamp with time zone'],
  columns: {},
  text: `
    INSERT INTO reward_corrections (merchant_id, key, order_id, reward_id, kind, request, reason, corrected_by,
      created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
});
