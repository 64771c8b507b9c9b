import {
  arraySchema,
  flagSchema,
  idSchema,
  integerSchema,
  nullable,
  objectSchema,
  optionSchema,
  textSchema,
  timeSchema,
  urlSchema,
} from '../json/json-schema.ts';
import type { Schema } from '../json/json-schema.ts';
import { memberId, code, referrerCode, review, flags } from './shared-fields.ts';
import {
  rewardRoles,
  rewardTypes,
  rewardStates,
  referralSources,
  referralEnds,
  linkOutcomes,
} from './values.ts';
import type { RewardState } from './values.ts';

const fromOrderId = nullable(
  textSchema('The order that a person said came from the referrer: only orders from its date on count.'),
);
const allConsidered = flagSchema(
  'False when the referee has more than 1,000 orders, of which the oldest are considered.',
);
const orderRewards = {
  orders: arraySchema({
    maxItems: 20,
    items: objectSchema({
      order_id: textSchema('Your id of the order.'),
      rewards: arraySchema({
        items: objectSchema({
          role: optionSchema(rewardRoles, 'Who gets it.'),
          member_id: memberId,
          type: optionSchema(rewardTypes, 'What it is.'),
          amount: integerSchema('How many of `unit`.', 1),
          unit: textSchema('Your name for what is counted.'),
        }),
        description: 'What it earns.',
      }),
    }),
    description: 'The oldest of them that earn something.',
  }),
  totals: arraySchema({
    items: objectSchema({
      unit: textSchema('Your name for what is counted.'),
      amount: integerSchema('What all of them earn.'),
    }),
    description: 'The sums of all of them.',
  }),
};

const movedRewards = (description: string) =>
  nullable(objectSchema({ rewards: integerSchema('How many rewards.'), ...orderRewards }, { description }));

/** What can be read of referrals and members, and what the calls that link, move and merge them answer. */
export const memberAnswers = {
  Referral: objectSchema({
    id: idSchema('ref', 'The referral.'),
    referrer_member_id: memberId,
    referee_member_id: memberId,
    code: referrerCode,
    source: optionSchema(referralSources, 'The call that linked them.'),
    flags,
    linked_at: timeSchema('When they were linked.'),
    review,
    reviewed_at: nullable(timeSchema('When it was accepted or rejected.')),
    not_new: flagSchema(
      'Whether the referee had a paid order more than 24 hours before they followed the code: it earns nothing.',
    ),
    ended: nullable(
      optionSchema(
        referralEnds,
        'Why it ended when members were merged: the member has another referral, or referred their own referrer. Null while it is live.',
      ),
    ),
    from_order_id: fromOrderId,
    moves: arraySchema({
      maxItems: 20,
      items: objectSchema({
        number: integerSchema('Counts the moves of a referral.', 1),
        from_referrer_member_id: nullable(textSchema('The referrer before; null when there was none.')),
        to_referrer_member_id: textSchema('The referrer since.'),
        from_order_id: nullable(textSchema('The order that the person said came from the referrer.')),
        reason: textSchema('Why, as the person wrote it.'),
        moved_at: timeSchema('When.'),
      }),
      description: 'What people changed, newest first.',
    }),
  }),
  MemberListItem: objectSchema({
    member_id: memberId,
    referral_code: code,
    created_at: timeSchema('When the member was stored first.'),
    referrer_member_id: nullable(textSchema('The member who referred them.')),
    referees: integerSchema('Members whom they referred.'),
  }),
  Member: objectSchema({
    member_id: memberId,
    aliases: arraySchema({
      description: 'Ids that mean this member, because they were merged.',
      items: memberId,
    }),
    referral_code: nullable(code),
    share_link: nullable(urlSchema('Their share link; null without a code or a landing URL.')),
    created_at: nullable(timeSchema('Null for a member who only has orders.')),
    referrer: nullable(
      objectSchema(
        {
          member_id: memberId,
          referral_id: textSchema('The referral.'),
          code: referrerCode,
          linked_at: timeSchema('When they were linked.'),
          review,
          moves: integerSchema('How often people moved the link; the referral has the moves.'),
        },
        { description: 'Who referred them.' },
      ),
    ),
    counts: objectSchema({
      referees: integerSchema('Members whom they referred.'),
      orders: integerSchema('Their orders.'),
      rewards: objectSchema(
        Object.fromEntries(
          rewardStates.map((state) => [state, integerSchema(`Rewards that are ${state}.`)]),
        ) as Record<RewardState, Schema<number>>,
        { description: 'Rewards that they get, by state.' },
      ),
    }),
  }),
  Merge: objectSchema({
    member_id: memberId,
    merged_member_id: textSchema('The id that means the other member from now on.'),
    orders_moved: integerSchema('Orders that are the surviving member’s now.'),
    referees_moved: integerSchema('Members that the merged one had referred.'),
    referral_id: nullable(textSchema('The referral of the surviving member; null without one.')),
    ended_referral: nullable(
      objectSchema(
        {
          id: textSchema('The referral.'),
          reason: optionSchema(referralEnds, 'As `ended` of the referral.'),
        },
        { description: 'The referral that ended; null when none did.' },
      ),
    ),
    rewards_cancelled: integerSchema('Pending rewards of the referral that ended.'),
    rewards_kept: integerSchema('Confirmed rewards of it, which stay.'),
    kept_reward_ids: arraySchema({
      description: 'The first of these rewards.',
      items: idSchema('rwd', 'A reward.'),
      maxItems: 100,
    }),
    dry_run: flagSchema('Whether nothing was merged.'),
  }),
  Link: objectSchema({
    id: idSchema('ref', 'The referral.'),
    referrer_member_id: memberId,
    referee_member_id: memberId,
    code: referrerCode,
    linked_at: timeSchema('When they were linked.'),
    flags,
    review,
    dry_run: flagSchema('Whether nothing was linked.'),
    earlier_orders: nullable(
      objectSchema(
        {
          ...orderRewards,
          complete: allConsidered,
        },
        {
          description:
            'What the orders that the referee has already earn because of the link; null when one of them cannot be read.',
        },
      ),
    ),
  }),
  MovedLink: objectSchema({
    id: idSchema('ref', 'The referral.'),
    referrer_member_id: memberId,
    former_referrer_member_id: nullable(textSchema('The referrer before; null when there was none.')),
    referee_member_id: memberId,
    code: referrerCode,
    linked_at: timeSchema(
      'From when on the link counts: when they were linked, or the date of `from_order_id`.',
    ),
    from_order_id: fromOrderId,
    review,
    dry_run: flagSchema('Whether nothing was moved.'),
    withdrawn: movedRewards('What is taken back; null when an order of the referee cannot be read.'),
    given: movedRewards('What is given in its place; null when an order of the referee cannot be read.'),
    complete: allConsidered,
  }),
  Boot: objectSchema({
    user_id: memberId,
    verified: flagSchema(
      'Whether the call had a valid `user_hash`. Without one, the other fields reveal nothing.',
    ),
    referral_code: nullable(code),
    share_link: nullable(urlSchema('Their share link.')),
    referrer_linked: nullable(flagSchema('Whether the member has a referrer.')),
    link: optionSchema(linkOutcomes, 'What became of the code of the call.'),
  }),
};
