import Joi from 'joi';
import { eventTypes } from '@rewardhook/contract';
import { enableEndpoint, openTestEventStore, pauseEndpoint, resumeEndpoint } from '@rewardhook/database';
import type { AuditAction, Database } from '@rewardhook/database';
import { sendTestEvent } from '@rewardhook/webhook';
import type { WebhookTestRequest, WebhookTestResponse, WebhookView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { requireDelivery } from './delivery-routes.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { requireWebhook } from './webhook-routes.ts';

type ControlRefusal = 'webhook_already_paused' | 'webhook_not_paused' | 'webhook_not_disabled';
type Change = (database: Database, merchantId: string, id: string) => Promise<boolean>;

/** POST /webhooks/:id/<verb>; 409 when the state does not allow the change. */
const control =
  (verb: string, change: Change, refusal: ControlRefusal, audit: AuditAction) =>
  ({ database, log }: ConsoleDependencies) =>
    route(
      'developer',
      'POST',
      `/webhooks/:id/${verb}`,
      async ({ merchantId, params, session }): Promise<WebhookView> => {
        const webhookId = String(params['id']);
        await requireWebhook(database, merchantId, webhookId);
        if (!(await change(database, merchantId, webhookId))) throw refuse(refusal);
        log.info('webhook changed', { merchantId, webhookId, change: verb, userId: session.userId });
        return requireWebhook(database, merchantId, webhookId);
      },
      { audit },
    );

/** POST /webhooks/:id/pause: deliveries are held. */
export const pauseWebhook = control('pause', pauseEndpoint, 'webhook_already_paused', 'webhook.paused');

/** POST /webhooks/:id/resume: held deliveries are sent. */
export const resumeWebhook = control('resume', resumeEndpoint, 'webhook_not_paused', 'webhook.resumed');

/** POST /webhooks/:id/enable: enables a webhook that the service disabled. */
export const enableWebhook = control('enable', enableEndpoint, 'webhook_not_disabled', 'webhook.enabled');

const testBody = Joi.object<Required<WebhookTestRequest>>({
  type: Joi.string()
    .valid(...eventTypes)
    .default('webhook.ping'),
});

/** POST /webhooks/:id/test: sends a test event at once, in any state of the webhook but a pause of the operator. */
export const testWebhook = ({ database, sealer, webhookClient, webhookLimits }: ConsoleDependencies) =>
  route<Required<WebhookTestRequest>>(
    'developer',
    'POST',
    '/webhooks/:id/test',
    async ({ merchantId, params, body: { type } }): Promise<WebhookTestResponse> => {
      const endpointId = String(params['id']);
      const test = { merchantId, endpointId, type, secondsBetween: webhookLimits.testSeconds };
      const sent = await sendTestEvent(webhookClient, openTestEventStore(database, sealer, test));
      if (!sent) throw notFound();
      const { attempts } = await requireDelivery(database, merchantId, sent.deliveryId);
      const [attempt] = attempts;
      if (!attempt) throw new Error('the attempt of a test event was not stored');
      return { delivery_id: sent.deliveryId, attempt };
    },
    { body: testBody, audit: 'webhook.tested' },
  );
