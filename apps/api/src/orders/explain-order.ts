import type { RequestHandler } from 'express';
import { readOrderStory } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { counterfactual, judge } from '@rewardhook/rewards';
import { ApiError } from '../http/api-error.ts';
import { ownerOf } from '../keys/authenticate.ts';

/**
 * GET /api/open/orders/{order_id}/explain/: why an order earned what it did. `verdict` is how the newest state is
 * judged now, `story` what happened so far, oldest first.
 */
export function explainOrder(database: Database): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const orderId = String(request.params['orderId']);
    const story = await readOrderStory(database, merchantId, orderId);
    if (!story)
      throw new ApiError(
        'not_found',
        'There is no order with this id. Orders show up a moment after the 202.',
      );
    const { order, referral, program } = story.input;
    const { outcome, reason, checks } = judge(story.input);
    response.status(200).json({
      data: {
        order_id: order.orderId,
        member_id: order.memberId,
        version: order.version,
        referral: referral && {
          id: referral.id,
          referrer_member_id: referral.referrerMemberId,
          referee_member_id: referral.refereeMemberId,
          linked_at: referral.linkedAt,
        },
        program: { id: program.id, version: program.version },
        waits_for_judgement: story.waits,
        verdict: { outcome, reason, checks },
        counterfactual: counterfactual(story.input) ?? null,
        story: story.happenings,
      },
    });
  };
}
