import Joi from 'joi';
import { attemptErrors, dateTimeField, isUuid, pageFields, textField } from '@rewardhook/contract';
import {
  answerClasses,
  deliveryProgresses,
  findDeliveryDetails,
  isDeliveryAnswer,
  listDeliveriesWithProgress,
  noteUnchanged,
  planRetries,
  retryDeliveries,
  retryDelivery,
} from '@rewardhook/database';
import type { Database, DeliveryAnswer, PlannedRetry } from '@rewardhook/database';
import type { DeliveryView, RetryPlan } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { filterByMember } from '../customers/filter-by-member.ts';
import { toDeliveryView } from './delivery-view.ts';

/** Joi's own `guid` accepts spellings that PostgreSQL refuses. Two spellings of one id are one. */
const deliveryId = Joi.string().custom((text: string, { error }) =>
  isUuid(text) ? text.toLowerCase() : error('string.guid'),
);

/** The answers that can be chosen, beside each status. */
const answerOptions = [...answerClasses, 'a status', 'none', ...attemptErrors];

/** The answer to the last attempt of a delivery. */
export const answerField = () =>
  Joi.string<DeliveryAnswer>().custom((text: string, helpers) =>
    isDeliveryAnswer(text) ? text : helpers.error('any.only', { valids: answerOptions }),
  );

export const deliveryHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /deliveries': {
      input: {
        progress: Joi.string().valid(...deliveryProgresses),
        answer: answerField(),
        min_attempts: Joi.number().integer().min(1).max(1_000),
        endpoint_id: textField(255),
        event_type: textField(255),
        from: dateTimeField(),
        until: dateTimeField(),
        search: textField(255),
        ...pageFields,
      },
      handle({
        merchantId,
        input: {
          after,
          limit,
          endpoint_id: endpointId,
          event_type: eventType,
          min_attempts: minAttempts,
          ...rest
        },
      }) {
        const search = { ...rest, endpointId, eventType, minAttempts };
        // The search finds by all ids of a member; the filter is for the name of the surviving one.
        return filterByMember(database, merchantId, rest.search, () =>
          listDeliveriesWithProgress(database, merchantId, search, { after, limit, bounded: true }),
        );
      },
    },

    /** Plans a retry of many deliveries, or retries each as its own route does. */
    'POST /deliveries/retry': {
      input: {
        ids: Joi.array().items(deliveryId).min(1).max(100).unique().required(),
        dry_run: Joi.boolean(),
      },
      async handle({ merchantId, input: { ids, dry_run: dryRun = false } }): Promise<RetryPlan> {
        const plan = await planRetries(database, merchantId, ids);
        if (!dryRun) return { items: await retryPlanned(database, merchantId, plan) };
        noteUnchanged();
        return { items: plan };
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

/** Retries planned deliveries; what has changed since the plan is refused. */
async function retryPlanned(
  database: Database,
  merchantId: string,
  plan: PlannedRetry[],
): Promise<PlannedRetry[]> {
  const ids = plan.map(({ id }) => id);
  const retried = new Set(await retryDeliveries(database, merchantId, ids));
  if (retried.size === 0) noteUnchanged();
  return plan.map((one) => (retried.has(one.id) ? one : { ...one, does: 'refused' }));
}

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
