import Joi from 'joi';
import { dateTimeField, isUuid, textField } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import {
  deliveryStates,
  explainOrder,
  findDeliveryDetails,
  findEndpointState,
  findEventBody,
  findMemberFilter,
  findOrderDetails,
  listDeliveriesPage,
  listEndpointStates,
  listMembersPage,
  listOrdersPage,
  listReferralsPage,
  listRewardsPage,
  reviewStates,
  rewardRoles,
  rewardStates,
} from '@rewardhook/database';
import { JsonText, toJsonText } from '@rewardhook/process';
import { toDeliveryDocument, toDeliveryItem, toMemberItem, toReferralDocument } from './documents.ts';
import { itemRoute, listRoute } from './read-route.ts';
import type { ReadRoute } from './read-route.ts';

const ofMember = {
  member_id: textField(255).description('Your id of the member; a former one means the surviving member.'),
};
const created = {
  from: dateTimeField().description('Created at this time or later.'),
  until: dateTimeField().description('Created before this time.'),
};
const firstOnly = { after: null, limit: 1 };
/** Range of creation: from inclusive, until exclusive. */
interface Created {
  from?: string;
  until?: string;
}

/**
 * GET /api/open/orders/{order_id}/explain/: why an order earned a reward or none. `decision` is the last decision,
 * `today` the result of evaluating the newest state now, and `timeline` the history of the order, oldest entry first.
 */
export const explainRoute = itemRoute(
  '/orders/{order_id}/explain',
  (database, { merchantId, params }): Promise<Answer<'Explanation'> | undefined> =>
    explainOrder(database, merchantId, String(params['order_id'])),
);

/** GET /api/open/events/{event_id}/: one event, as webhooks deliver it: its body is stored as JSON. */
export const eventRoute = itemRoute('/events/{event_id}', async (database, { merchantId, params }) => {
  const event = await findEventBody(database, merchantId, String(params['event_id']));
  return event && new JsonText(event.body);
});

/** The routes that read back what a merchant has sent, and what followed from it. */
export const readRoutes: ReadRoute[] = [
  listRoute(
    '/orders',
    'orders',
    Joi.object<{ member_id?: string }>(ofMember),
    async (database, { merchantId }, { member_id: memberId }, page) =>
      listOrdersPage(database, merchantId, await findMemberFilter(database, merchantId, memberId), page),
  ),
  itemRoute('/orders/{order_id}', async (database, { merchantId, params }) => {
    const order = await findOrderDetails(database, merchantId, String(params['order_id']));
    if (!order) return undefined;
    const { items_count: _count, items, ...fields } = order;
    return toJsonText({ ...fields, items: new JsonText(items) });
  }),
  listRoute(
    '/rewards',
    'rewards',
    Joi.object<
      {
        member_id?: string;
        order_id?: string;
        referral_id?: string;
        state?: string;
        role?: string;
      } & Created
    >({
      ...ofMember,
      order_id: textField(255).description('Your id of the order.'),
      referral_id: textField(255).description('The id of the referral.'),
      state: Joi.string()
        .valid(...rewardStates)
        .description('State of the reward.'),
      role: Joi.string()
        .valid(...rewardRoles)
        .description('The side of the referral.'),
      ...created,
    }),
    async (
      database,
      { merchantId },
      { member_id: memberId, order_id: orderId, referral_id: referralId, ...rest },
      page,
    ) => {
      const member = await findMemberFilter(database, merchantId, memberId);
      return listRewardsPage(database, merchantId, { ...rest, ...member, orderId, referralId }, page);
    },
  ),
  itemRoute('/rewards/{reward_id}', async (database, { merchantId, params }) => {
    const search = { id: String(params['reward_id']) };
    return (await listRewardsPage(database, merchantId, search, firstOnly)).items[0];
  }),
  listRoute(
    '/referrals',
    'referrals',
    Joi.object<{
      member_id?: string;
      review?: 'none' | 'pending' | 'accepted' | 'rejected';
      flagged?: boolean;
    }>({
      ...ofMember,
      review: Joi.string()
        .valid(...reviewStates)
        .description('State of the review.'),
      flagged: Joi.boolean().description('Only referrals with flags, or only those without.'),
    }),
    async (database, { merchantId }, { member_id: memberId, ...rest }, page) => {
      const member = await findMemberFilter(database, merchantId, memberId);
      const { items, next } = await listReferralsPage(database, merchantId, { ...rest, ...member }, page);
      return { items: items.map(toReferralDocument), next };
    },
  ),
  itemRoute('/referrals/{referral_id}', async (database, { merchantId, params }) => {
    const search = { id: String(params['referral_id']) };
    const [referral] = (await listReferralsPage(database, merchantId, search, firstOnly)).items;
    return referral && toReferralDocument(referral);
  }),
  listRoute(
    '/members',
    'members',
    Joi.object<{ search?: string }>({
      search: textField(255).description(
        'The beginning of an id in any case, a referral code or share link, or the complete id or code of a member before a merge. ' +
          'Outer blanks, invisible characters and hyphens of a code make no difference.',
      ),
    }),
    async (database, { merchantId }, { search }, page) => {
      const { items, next } = await listMembersPage(database, merchantId, search, page);
      return { items: items.map(toMemberItem), next };
    },
  ),
  listRoute('/webhooks', 'webhooks', Joi.object<object>({}), (database, { merchantId }, _filters, page) =>
    listEndpointStates(database, merchantId, page),
  ),
  itemRoute('/webhooks/{webhook_id}', (database, { merchantId, params }) =>
    findEndpointState(database, merchantId, String(params['webhook_id'])),
  ),
  listRoute(
    '/webhooks/{webhook_id}/deliveries',
    'deliveries',
    Joi.object<{ state?: string; event_type?: string } & Created>({
      state: Joi.string()
        .valid(...deliveryStates)
        .description('State of the delivery.'),
      event_type: textField(255).description('Type of the event.'),
      ...created,
    }),
    async (database, { merchantId, params }, { event_type: eventType, ...rest }, page) => {
      const endpointId = String(params['webhook_id']);
      if (!(await findEndpointState(database, merchantId, endpointId))) return undefined;
      const search = { ...rest, eventType, endpointId };
      const { items, next } = await listDeliveriesPage(database, merchantId, search, page);
      return { items: items.map(toDeliveryItem), next };
    },
  ),
  itemRoute('/deliveries/{delivery_id}', async (database, { merchantId, params }) => {
    const id = String(params['delivery_id']);
    const delivery = isUuid(id) ? await findDeliveryDetails(database, merchantId, id) : undefined;
    return delivery && toDeliveryDocument(delivery);
  }),
];
