import type { RewardEventData } from '@rewardhook/contract';
import type { PrismaTransaction } from '../client/client.ts';
import type { Erased } from './erasure.ts';

/** Referrals whose events are in memory at a time. */
const chunkSize = 500;

/** Replaces the member in the bodies of all events that tell of these referrals. Returns how many there are. */
export async function eraseFromEvents(
  tx: PrismaTransaction,
  erased: Erased,
  referralIds: string[],
): Promise<number> {
  const { merchantId } = erased;
  let count = 0;
  for (let start = 0; start < referralIds.length; start += chunkSize) {
    const events = await tx.$queryRaw<{ id: string; body: string }[]>`
      SELECT e.id, e.body FROM rewards w JOIN events e ON e.merchant_id = w.merchant_id AND e.reward_id = w.id
      WHERE w.merchant_id = ${merchantId} AND w.referral_id = ANY(${referralIds.slice(start, start + chunkSize)})`;
    if (events.length === 0) continue;
    const changed = events.map(({ id, body }) => ({ id, body: eraseFromBody(body, erased) }));
    await tx.$executeRaw`
      UPDATE events e SET body = c."body", erased_at = coalesce(e.erased_at, now())
      FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS c ("id" text, "body" text)
      WHERE e.merchant_id = ${merchantId} AND e.id = c."id"`;
    count += events.length;
  }
  return count;
}

/** Drops what receivers answered to the events that tell of these referrals. */
export async function deleteResponseBodies(
  tx: PrismaTransaction,
  merchantId: string,
  referralIds: string[],
): Promise<void> {
  for (let start = 0; start < referralIds.length; start += chunkSize)
    await tx.$executeRaw`
      UPDATE attempts a SET response_body = NULL
      FROM rewards w
      JOIN events e ON e.merchant_id = w.merchant_id AND e.reward_id = w.id
      JOIN deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
      WHERE w.merchant_id = ${merchantId} AND w.referral_id = ANY(${referralIds.slice(start, start + chunkSize)})
        AND a.delivery_id = d.id AND a.response_body IS NOT NULL`;
}

/**
 * The body with the tombstone wherever it names the member, and otherwise to the byte as it was. Only the fields that
 * name members are looked at: a small shop's order may well be called as its member is.
 */
export function eraseFromBody(body: string, { memberId, tombstone }: Omit<Erased, 'merchantId'>): string {
  const event = JSON.parse(body) as { data: RewardEventData };
  const { data } = event;
  const { referral } = data;
  const replace = (id: string) => (id === memberId ? tombstone : id);
  data.member_id = replace(data.member_id);
  if (referral.referrer_member_id === memberId && referral.code !== null) referral.code = tombstone;
  referral.referrer_member_id = replace(referral.referrer_member_id);
  referral.referee_member_id = replace(referral.referee_member_id);
  return JSON.stringify(event);
}
