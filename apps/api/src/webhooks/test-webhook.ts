import type { RequestHandler } from 'express';
import Joi from 'joi';
import { eventTypes } from '@rewardhook/contract';
import type { Answer, EventType } from '@rewardhook/contract';
import {
  audited,
  DeliveryPaused,
  findDeliveryDetails,
  LimitReached,
  openTestEventStore,
} from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { sendTestEvent } from '@rewardhook/webhook';
import type { WebhookClient } from '@rewardhook/webhook';
import { ApiError, pausedByOperator, rateLimited } from '../http/api-error.ts';
import { auditedCall } from '../http/audited-call.ts';
import { readFields } from '../http/read-fields.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import { toAttemptDocument } from '../resources/documents.ts';
import { requireStorable } from '../resources/read-route.ts';

/** What sends test events. */
export interface TestWebhookOptions {
  database: Database;
  sealer: Sealer;
  webhookClient: WebhookClient;
  /** Minimum number of seconds between two test events of a merchant. */
  secondsBetween: number;
}

/** The body of the request. */
export const testWebhookFields = Joi.object<{ type: EventType }>({
  type: Joi.string()
    .valid(...eventTypes)
    .default('webhook.ping')
    .description('The event type of the sample.')
    .example('reward.issue'),
});

/**
 * POST /api/open/webhooks/{webhook_id}/test/: sends a sample of an event type at once, signed and marked as a test, and
 * answers with the attempt. Also to a webhook that the merchant has paused or that is disabled, and whatever types it is registered for. The audit has
 * an entry with the key as its actor, which is stored together with the event.
 */
export function testWebhook(options: TestWebhookOptions): RequestHandler {
  const { database, sealer, webhookClient, secondsBetween } = options;
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const { type } = readFields(testWebhookFields, request.body ?? {});
    const endpointId = String(request.params['webhook_id']);
    requireStorable(endpointId);
    const store = openTestEventStore(database, sealer, { merchantId, endpointId, type, secondsBetween });
    const call = { ...auditedCall(request, response, 'webhook.tested'), subjectId: endpointId };
    const sent = await audited(database, call, async () => {
      const event = await sendTestEvent(webhookClient, {
        prepare: () => withDatabaseTimeout(store.prepare().catch(refuse)),
        record: (prepared, attempt) => withDatabaseTimeout(store.record(prepared, attempt)),
      });
      if (!event) throw new ApiError('not_found', 'There is no webhook with this id.');
      return event;
    });
    const { deliveryId, eventId } = sent;
    const delivery = await withDatabaseTimeout(findDeliveryDetails(database, merchantId, deliveryId));
    const attempt = delivery?.attempts[0];
    if (!attempt) throw new Error('the attempt of a test event was not stored');
    const data: Answer<'TestResult'> = {
      delivery_id: deliveryId,
      event_id: eventId,
      event_type: type,
      delivered: sent.delivered,
      attempt: toAttemptDocument(attempt),
    };
    response.status(200).json({ data });
  };
}

function refuse(error: unknown): never {
  if (error instanceof DeliveryPaused) throw pausedByOperator(error.contact);
  if (error instanceof LimitReached)
    throw rateLimited(error.message, error.retryAfterSeconds ?? 1, 'test_events');
  throw error;
}
