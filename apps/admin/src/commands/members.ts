import { findMember, insertReferral, enqueueOrdersOfReferral, ReferralCycle } from '@rewardhook/database';
import { openProducer } from '@rewardhook/pipeline';
import { command, UsageError } from '../command.ts';
import { requireMerchant } from '../require-merchant.ts';

export const memberLink = command({
  does: 'Link a referee to the referrer who brought him. A link never changes. His orders so far are evaluated again.',
  required: { merchant: 'merchant id', referrer: 'member id', referee: 'member id' },
  async run({ merchant, referrer, referee }, { database, queuePrefix, redis, warn }) {
    if (referrer === referee) throw new UsageError('A member cannot refer himself.');
    await requireMerchant(database, merchant);
    const { referral, isNew } = await insertReferral(database, {
      merchantId: merchant,
      referrerMemberId: referrer,
      refereeMemberId: referee,
      source: 'link',
      flags: [],
    }).catch((error: unknown) => {
      if (!(error instanceof ReferralCycle)) throw error;
      throw new UsageError(
        `${referee} has referred ${referrer}, directly or through others: referrals must not form a cycle.`,
      );
    });
    if (referral.referrerMemberId !== referrer)
      throw new UsageError(
        `${referee} was brought by ${referral.referrerMemberId} already, and a link never changes.`,
      );
    const marked = await enqueueOrdersOfReferral(database, merchant, referral);
    try {
      await openProducer('reward-evaluation', await redis(), queuePrefix).enqueue(marked);
    } catch {
      warn('Redis is away: the orders so far are evaluated when it is back.');
    }
    return {
      document: { referral, isNew, ordersToJudge: marked.reduce((sum, { orders }) => sum + orders, 0) },
    };
  },
});

export const memberShow = command({
  does: 'Show a member: his referral code, who brought him, whom he brought (newest first), and what was flagged.',
  required: { merchant: 'merchant id', member: 'member id' },
  async run({ merchant, member }, { database }) {
    const found = await findMember(database, merchant, member);
    if (!found)
      throw new UsageError(`Merchant ${merchant} has no member ${member}: he neither booted nor was linked.`);
    return { document: found };
  },
});
