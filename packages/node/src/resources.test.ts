import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, ErrorCode } from '@rewardhook/contract';
import { projectRoot } from '@rewardhook/testing';
import type { Same } from '@rewardhook/testing';
import type * as node from './resources.ts';
import type { ApiErrorCode } from './rewardhook-error.ts';

/** Compiles only while each declaration is the same as the schema that the API publishes. */
const sameAsPublished = {
  StoredOrder: true satisfies Same<
    node.StoredOrder,
    Omit<Answer<'OrderListItem'>, 'items_count' | 'last_reason'>
  >,
  OrderListItem: true satisfies Same<node.OrderListItem, Answer<'OrderListItem'>>,
  OrderDetails: true satisfies Same<node.OrderDetails, Answer<'StoredOrder'>>,
  DecisionSummary: true satisfies Same<node.DecisionSummary, Answer<'Explanation'>['decision']>,
  OrderExplanation: true satisfies Same<node.OrderExplanation, Answer<'Explanation'>>,
  Reward: true satisfies Same<node.Reward, Answer<'Reward'>>,
  Referral: true satisfies Same<node.Referral, Answer<'Referral'>>,
  MergedMember: true satisfies Same<node.MergedMember, Answer<'Merge'>>,
  OrderRewards: true satisfies Same<
    node.OrderRewards,
    Omit<NonNullable<Answer<'Link'>['earlier_orders']>, 'complete'>
  >,
  MovedLink: true satisfies Same<node.MovedLink, Answer<'MovedLink'>>,
  LinkedReferral: true satisfies Same<node.LinkedReferral, Answer<'Link'>>,
  LinkResult: true satisfies Same<node.LinkResult, Answer<'Link'> & { warnings: Record<string, string> }>,
  MemberListItem: true satisfies Same<node.MemberListItem, Answer<'MemberListItem'>>,
  Member: true satisfies Same<node.Member, Answer<'Member'>>,
  Webhook: true satisfies Same<node.Webhook, Answer<'Webhook'>>,
  Delivery: true satisfies Same<node.Delivery, Answer<'DeliveryListItem'>>,
  Attempt: true satisfies Same<node.Attempt, Answer<'TestResult'>['attempt']>,
  DeliveryDetails: true satisfies Same<node.DeliveryDetails, Answer<'Delivery'>>,
  SentTestEvent: true satisfies Same<node.SentTestEvent, Answer<'TestResult'>>,
};

/** A server is not sent what concerns public keys. */
type ServerErrorCode = Exclude<ErrorCode, 'public_key_required' | 'origin_not_allowed'>;
const sameErrorCodes: Same<ApiErrorCode, ServerErrorCode> = true;

describe('The declarations of @rewardhook/node', () => {
  it('Every type that the API answers with is compared with its schema', () => {
    const source = readFileSync(join(projectRoot, 'packages/node/src/resources.ts'), 'utf8');
    const declared = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
    expect(Object.keys(sameAsPublished)).toEqual(declared);
  });

  it('The error codes are those that a server can receive', () => expect(sameErrorCodes).toBe(true));
});
