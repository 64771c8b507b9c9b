import Joi from 'joi';
import { eventTypes } from '@rewardhook/contract';
import {
  enableEndpoint,
  findOldestWaiting,
  noteAudit,
  openTestEventStore,
  pauseEndpoint,
  readWebhookHealth,
  resumeEndpoint,
  retryDelivery,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { sendTestEvent } from '@rewardhook/webhook';
import type { WebhookTestResponse } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { requireDelivery } from './delivery-routes.ts';
import { notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { requireWebhook } from './webhook-routes.ts';

type Change = (database: Database, merchantId: string, id: string) => Promise<boolean>;
type ControlRefusal = 'webhook_already_paused' | 'webhook_not_paused' | 'webhook_not_disabled';

export function controlHandlers(dependencies: ConsoleDependencies) {
  const { database, sealer, webhookClient, webhookLimits, log } = dependencies;
  /** 409 when the state does not allow the change. */
  const control =
    (name: string, change: Change, refusal: ControlRefusal): Handlers['POST /webhooks/:id/pause'] =>
    async ({ merchantId, params: { id: webhookId }, session }) => {
      await requireWebhook(database, merchantId, webhookId);
      if (!(await change(database, merchantId, webhookId))) throw refuse(refusal);
      log.info('webhook changed', { merchantId, webhookId, change: name, userId: session.userId });
      return requireWebhook(database, merchantId, webhookId);
    };

  return {
    /** Deliveries are held. */
    'POST /webhooks/:id/pause': control('pause', pauseEndpoint, 'webhook_already_paused'),

    /** Held deliveries are sent. */
    'POST /webhooks/:id/resume': control('resume', resumeEndpoint, 'webhook_not_paused'),

    /** Enables a webhook that the service disabled. */
    'POST /webhooks/:id/enable': control('enable', enableEndpoint, 'webhook_not_disabled'),

    /** Sends the oldest delivery that waits, also while the breaker is open: its answer shows whether the webhook works again. */
    async 'POST /webhooks/:id/probe'({ merchantId, params: { id: webhookId } }) {
      await requireWebhook(database, merchantId, webhookId);
      const id = await findOldestWaiting(database, merchantId, webhookId);
      if (id === undefined) throw refuse('nothing_waiting');
      noteAudit({ subjectId: id });
      if (!(await retryDelivery(database, merchantId, id))) throw refuse('delivery_not_retryable');
      return requireDelivery(database, merchantId, id);
    },

    async 'GET /webhooks/:id/health'({ merchantId, params: { id } }) {
      await requireWebhook(database, merchantId, id);
      return readWebhookHealth(database, merchantId, id);
    },

    /** Sends a test event at once, in any state of the webhook but a pause of the operator. */
    'POST /webhooks/:id/test': {
      input: { type: Joi.string().valid(...eventTypes) },
      async handle({
        merchantId,
        params: { id: endpointId },
        input: { type = 'webhook.ping' },
      }): Promise<WebhookTestResponse> {
        const test = { merchantId, endpointId, type, secondsBetween: webhookLimits.testSeconds };
        const sent = await sendTestEvent(webhookClient, openTestEventStore(database, sealer, test));
        if (!sent) throw notFound();
        const { attempts } = await requireDelivery(database, merchantId, sent.deliveryId);
        const [attempt] = attempts;
        if (!attempt) throw new Error('the attempt of a test event was not stored');
        return { delivery_id: sent.deliveryId, attempt };
      },
    },
  } satisfies Partial<Handlers>;
}
