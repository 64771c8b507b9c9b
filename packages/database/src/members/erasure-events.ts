import type { RewardEventData } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import type { Erased } from './replace-member.ts';

/** The number of referrals whose events are in memory at a time. */
const chunkSize = 500;

/** Replaces the member in the bodies of all events about these referrals. Returns the number of events. */
export async function eraseFromEvents(tx: Queryable, erased: Erased, referralIds: string[]): Promise<number> {
  const { merchantId } = erased;
  let count = 0;
  for (let start = 0; start < referralIds.length; start += chunkSize) {
    const events = await tx.query<{ id: string; body: string }>(
      `SELECT e.id, e.body FROM rewards w JOIN events e ON e.merchant_id = w.merchant_id AND e.reward_id = w.id
       WHERE w.merchant_id = $1 AND w.referral_id = ANY($2)`,
      [merchantId, referralIds.slice(start, start + chunkSize)],
    );
    if (events.length === 0) continue;
    const erasedBodies = events.map(({ id, body }) => ({ id, body: eraseFromBody(body, erased) }));
    await tx.execute(
      `UPDATE events e SET body = erased.body, erased_at = coalesce(e.erased_at, now())
       FROM jsonb_to_recordset($2::jsonb) AS erased (id text, body text)
       WHERE e.merchant_id = $1 AND e.id = erased.id`,
      [merchantId, JSON.stringify(erasedBodies)],
    );
    count += events.length;
  }
  return count;
}

/** Deletes the response bodies of all attempts to send events about these referrals. */
export async function deleteResponseBodies(
  tx: Queryable,
  merchantId: string,
  referralIds: string[],
): Promise<void> {
  for (let start = 0; start < referralIds.length; start += chunkSize)
    await tx.execute(
      `UPDATE attempts a SET response_body = NULL, response_headers = NULL
       FROM rewards w
       JOIN events e ON e.merchant_id = w.merchant_id AND e.reward_id = w.id
       JOIN deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
       WHERE w.merchant_id = $1 AND w.referral_id = ANY($2)
         AND a.delivery_id = d.id AND (a.response_body IS NOT NULL OR a.response_headers IS NOT NULL)`,
      [merchantId, referralIds.slice(start, start + chunkSize)],
    );
}

/**
 * Replaces the member in an event body; all other bytes stay. Only the fields that hold member ids are changed: an
 * order of a small shop may have the same id as a member.
 */
function eraseFromBody(body: string, { memberId, tombstone }: Omit<Erased, 'merchantId'>): string {
  const event = JSON.parse(body) as { data: RewardEventData };
  const { data } = event;
  const { referral } = data;
  const replace = (id: string) => (id === memberId ? tombstone : id);
  data.member_id = replace(data.member_id);
  if (referral.referrer_member_id === memberId) referral.code = tombstone;
  referral.referrer_member_id = replace(referral.referrer_member_id);
  referral.referee_member_id = replace(referral.referee_member_id);
  return JSON.stringify(event);
}
