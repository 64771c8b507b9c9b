import Joi from 'joi';
import { dateTimeField, isUuid, pageFields, textField } from '@rewardhook/contract';
import { findDeliveryDetails, listDeliveriesPage, retryDelivery } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { DeliveryView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { filterByMember } from '../customers/filter-by-member.ts';
import { toDeliveryView } from './delivery-view.ts';

export const deliveryHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /deliveries': {
      input: {
        state: Joi.string().valid('pending', 'held', 'delivered', 'exhausted', 'cancelled'),
        endpoint_id: textField(255),
        event_type: textField(255),
        from: dateTimeField(),
        until: dateTimeField(),
        search: textField(255),
        ...pageFields,
      },
      handle({
        merchantId,
        input: { after, limit, endpoint_id: endpointId, event_type: eventType, ...rest },
      }) {
        const search = { ...rest, endpointId, eventType };
        // The search finds by all ids of a member; the filter is for the name of the surviving one.
        return filterByMember(database, merchantId, rest.search, () =>
          listDeliveriesPage(database, merchantId, search, { after, limit }),
        );
      },
    },

    'GET /deliveries/:id': ({ merchantId, params }) => requireDelivery(database, merchantId, params.id),

    /** Sends the delivery again under its id, in any state, also while the breaker is open. */
    async 'POST /deliveries/:id/retry'({ merchantId, params: { id } }) {
      await requireDelivery(database, merchantId, id);
      if (!(await retryDelivery(database, merchantId, id))) throw refuse('delivery_not_retryable');
      return requireDelivery(database, merchantId, id);
    },
  }) satisfies Partial<Handlers>;

/** The delivery of the merchant. @throws ConsoleError `not_found` */
export async function requireDelivery(
  database: Database,
  merchantId: string,
  id: string,
): Promise<DeliveryView> {
  const found = isUuid(id) ? await findDeliveryDetails(database, merchantId, id) : undefined;
  if (!found) throw notFound();
  return toDeliveryView(found);
}
