import Joi from 'joi';
import type { EventType, PageQuery } from '@rewardhook/contract';
import { eventTypes, newId, pageFields, textField } from '@rewardhook/contract';
import {
  findEndpointDetails,
  listEndpointsPage,
  registerEndpoint,
  updateEndpoint,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { checkUrl } from '@rewardhook/webhook';
import type { ChangeWebhookRequest, NewWebhookRequest, WebhookPage, WebhookView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidRequest, notFound } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { toWebhookView } from './webhook-view.ts';

const types = () =>
  Joi.array()
    .items(Joi.string().valid(...eventTypes))
    .min(1)
    .unique();

/** GET /webhooks, oldest first. */
export const showWebhooks = ({ database }: ConsoleDependencies) =>
  route<undefined, PageQuery>(
    'viewer',
    'GET',
    '/webhooks',
    async ({ merchantId, query }): Promise<WebhookPage> => {
      const { items, next } = await listEndpointsPage(database, merchantId, query);
      return { items: items.map(toWebhookView), next };
    },
    { query: Joi.object<PageQuery>(pageFields) },
  );

/** GET /webhooks/event-types: the event types that a webhook can receive. */
export const showEventTypes = () =>
  route('viewer', 'GET', '/webhooks/event-types', async (): Promise<EventType[]> => [...eventTypes]);

/** GET /webhooks/:id */
export const showWebhook = ({ database }: ConsoleDependencies) =>
  route('viewer', 'GET', '/webhooks/:id', ({ merchantId, params }) =>
    requireWebhook(database, merchantId, String(params['id'])),
  );

/** POST /webhooks */
export const createWebhook = ({ database, allowLoopbackHttp, webhookLimits }: ConsoleDependencies) =>
  route<NewWebhookRequest>(
    'developer',
    'POST',
    '/webhooks',
    async ({ merchantId, body }): Promise<WebhookView> => {
      const url = requireUsableUrl(body.url, allowLoopbackHttp);
      const id = newId('whk');
      const endpoint = { id, merchantId, url, eventTypes: body.event_types };
      await registerEndpoint(database, endpoint, webhookLimits.endpoints);
      return requireWebhook(database, merchantId, id);
    },
    {
      body: Joi.object<NewWebhookRequest>({
        url: textField(2_048).required(),
        event_types: types().required(),
      }),
      status: 201,
      audit: 'webhook.created',
    },
  );

const changeable = {
  url: textField(2_048),
  event_types: types(),
  retry_hours: Joi.number().integer().min(1).max(720).allow(null),
};

/** PATCH /webhooks/:id */
export const changeWebhook = ({ database, allowLoopbackHttp, webhookLimits }: ConsoleDependencies) =>
  route<ChangeWebhookRequest>(
    'developer',
    'PATCH',
    '/webhooks/:id',
    async ({ merchantId, params, body }): Promise<WebhookView> => {
      const { base, ...changes } = body;
      if (changes.url !== undefined) changes.url = requireUsableUrl(changes.url, allowLoopbackHttp);
      const id = String(params['id']);
      const done = await updateEndpoint(database, merchantId, id, toRow(changes), {
        limits: webhookLimits.endpoints,
        base: base && toRow(base),
      });
      if (!done) throw notFound();
      return requireWebhook(database, merchantId, id);
    },
    {
      body: Joi.object<ChangeWebhookRequest>({ ...changeable, base: Joi.object(changeable) }).or(
        ...Object.keys(changeable),
      ),
      audit: 'webhook.changed',
    },
  );

function toRow({ url, event_types: chosen, retry_hours: retryHours }: ChangeWebhookRequest) {
  return {
    ...(url === undefined ? {} : { url }),
    ...(chosen === undefined ? {} : { eventTypes: chosen }),
    ...(retryHours === undefined ? {} : { retryHours }),
  };
}

/** The webhook of the merchant. @throws ConsoleError `not_found` */
export async function requireWebhook(
  database: Database,
  merchantId: string,
  id: string,
): Promise<WebhookView> {
  const found = await findEndpointDetails(database, merchantId, id);
  if (!found) throw notFound();
  return toWebhookView(found);
}

/** The normalized URL. @throws ConsoleError `invalid_request` */
function requireUsableUrl(url: string, allowLoopbackHttp: boolean): string {
  const checked = checkUrl(url, { allowLoopbackHttp });
  if (!checked.ok) throw invalidRequest({ url: checked.error });
  return checked.url.href;
}
