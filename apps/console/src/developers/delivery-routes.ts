import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { findDeliveryDetails, listDeliveriesPage, retryDelivery } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { DeliveryPage, DeliveryView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { filterByMember } from '../customers/filter-by-member.ts';
import { toDeliveryView } from './delivery-view.ts';

interface Query extends PageQuery {
  state?: string;
  endpoint_id?: string;
  event_type?: string;
  from?: string;
  until?: string;
  search?: string;
}

const query = Joi.object<Query>({
  state: Joi.string().valid('pending', 'held', 'delivered', 'exhausted', 'cancelled'),
  endpoint_id: textField(255),
  event_type: textField(255),
  from: dateTimeField(),
  until: dateTimeField(),
  search: textField(255),
  ...pageFields,
});

/** GET /deliveries */
export const showDeliveries = ({ database }: ConsoleDependencies) =>
  route<undefined, Query>(
    'viewer',
    'GET',
    '/deliveries',
    ({ merchantId, query: { after, limit, ...filters } }): Promise<DeliveryPage> => {
      const { endpoint_id: endpointId, event_type: eventType, ...rest } = filters;
      const search = { ...rest, endpointId, eventType };
      // The search finds by all ids of a member; the filter is for the name of the surviving one.
      return filterByMember(database, merchantId, rest.search, () =>
        listDeliveriesPage(database, merchantId, search, { after, limit }),
      );
    },
    { query },
  );

/** GET /deliveries/:id */
export const showDelivery = ({ database }: ConsoleDependencies) =>
  route('viewer', 'GET', '/deliveries/:id', ({ merchantId, params }) =>
    requireDelivery(database, merchantId, String(params['id'])),
  );

/** POST /deliveries/:id/retry: sends the delivery again under its id, in any state, also while the breaker is open. */
export const retryDeliveryNow = ({ database }: ConsoleDependencies) =>
  route(
    'developer',
    'POST',
    '/deliveries/:id/retry',
    async ({ merchantId, params }) => {
      const id = String(params['id']);
      await requireDelivery(database, merchantId, id);
      if (!(await retryDelivery(database, merchantId, id))) throw refuse('delivery_not_retryable');
      return requireDelivery(database, merchantId, id);
    },
    { audit: 'delivery.retried' },
  );

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The delivery of the merchant. @throws ConsoleError `not_found` */
export async function requireDelivery(
  database: Database,
  merchantId: string,
  id: string,
): Promise<DeliveryView> {
  const found = uuid.test(id) ? await findDeliveryDetails(database, merchantId, id) : undefined;
  if (!found) throw notFound();
  return toDeliveryView(found);
}
