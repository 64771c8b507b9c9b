import type { Answer } from '@rewardhook/contract';
import type { ReasonCode } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import type { DecisionOutcome, DeliveryState } from '../states.ts';

/** The order and the two members of a sample. */
export interface SampleIds {
  orderId: string;
  referrerMemberId: string;
  refereeMemberId: string;
}

/** How far a sample is. */
export interface SampleProgress {
  stored: boolean;
  /** The newest decision about the order. */
  decision: { outcome: DecisionOutcome; reason: ReasonCode } | null;
  rewards: SampleReward[];
  /** Of the `reward.issue` events of these rewards. */
  deliveries: { id: string; state: DeliveryState; attempts: number }[];
  /** Webhooks that are registered for `reward.issue`, without disabled ones. */
  webhooks: number;
}

export type SampleReward = Pick<
  Answer<'Reward'>,
  'id' | 'role' | 'member_id' | 'amount' | 'type' | 'unit' | 'state' | 'confirm_due_at'
>;

/** $1 merchant id, $2 order id, $3 referee. No row when the referee is not linked: there is no such sample. */
const progressSql = `
  SELECT
    EXISTS (SELECT 1 FROM orders WHERE merchant_id = $1 AND order_id = $2) AS stored,
    (SELECT json_build_object('outcome', outcome, 'reason', reason) FROM decisions
     WHERE merchant_id = $1 AND order_id = $2 ORDER BY number DESC LIMIT 1) AS decision,
    coalesce((
      SELECT json_agg(json_build_object('id', w.id, 'role', w.role, 'member_id', w.member_id, 'amount', w.amount,
        'type', w.type, 'unit', w.unit, 'state', w.state, 'confirm_due_at', rules.iso_utc(w.confirm_due_at))
        ORDER BY w.created_at, w.role)
      FROM rewards w WHERE w.merchant_id = $1 AND w.order_id = $2), '[]') AS rewards,
    coalesce((
      SELECT json_agg(json_build_object('id', d.id, 'state', d.state, 'attempts', d.attempts_made) ORDER BY d.created_at, d.id)
      FROM rewards w
      JOIN events e ON e.merchant_id = $1 AND e.reward_id = w.id AND e.type = 'reward.issue'
      JOIN deliveries d ON d.merchant_id = $1 AND d.event_id = e.id
      WHERE w.merchant_id = $1 AND w.order_id = $2), '[]') AS deliveries,
    (SELECT count(*)::int FROM endpoints
     WHERE merchant_id = $1 AND 'reward.issue' = ANY (event_types) AND deleted_at IS NULL AND disabled_at IS NULL
    ) AS webhooks
  FROM referrals r WHERE r.merchant_id = $1 AND r.referee_member_id = $3`;

/** Finds how far a sample is; undefined when the merchant has no such sample. */
export async function findSampleProgress(
  database: Queryable,
  merchantId: string,
  { orderId, refereeMemberId }: SampleIds,
): Promise<SampleProgress | undefined> {
  const [progress] = await database.query<SampleProgress & Record<string, unknown>>(progressSql, [
    merchantId,
    orderId,
    refereeMemberId,
  ]);
  return progress;
}
