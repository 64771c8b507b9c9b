import { counterfactual, judge } from '@rewardhook/rewards';
import type { Check } from '@rewardhook/rewards';
import type { Database } from './client.ts';
import { readOrderStory } from './explanations.ts';
import type { Happening } from './explanations.ts';

/** Why an order earned what it did. Date-times are ISO 8601 in UTC. */
export interface Explanation {
  order_id: string;
  member_id: string;
  version: number;
  referral: {
    id: string;
    referrer_member_id: string;
    referee_member_id: string;
    linked_at: string;
    review: string;
  } | null;
  /** The version that it is judged by: the newest, or the one that its reward was given under. */
  program: { id: string; version: number };
  waits_for_judgement: boolean;
  /** How the newest state is judged now. */
  verdict: { outcome: string; reason: string; checks: Check[] };
  /** "It would earn … if …", where one change would do. */
  counterfactual: string | null;
  /** What happened so far, oldest first. */
  story: Happening[];
}

/** Explains an order; undefined when the merchant has no such order. */
export async function explainOrder(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<Explanation | undefined> {
  const story = await readOrderStory(database, merchantId, orderId);
  if (!story) return undefined;
  const { order, referral } = story.input;
  const { program, outcome, reason, checks } = judge(story.input);
  return {
    order_id: order.orderId,
    member_id: order.memberId,
    version: order.version,
    referral: referral && {
      id: referral.id,
      referrer_member_id: referral.referrerMemberId,
      referee_member_id: referral.refereeMemberId,
      linked_at: referral.linkedAt,
      review: referral.review,
    },
    program: { id: program.id, version: program.version },
    waits_for_judgement: story.waits,
    verdict: { outcome, reason, checks },
    counterfactual: counterfactual(story.input) ?? null,
    story: story.happenings,
  };
}
