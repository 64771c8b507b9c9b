import Joi from 'joi';
import { eventTypes, newId, pageFields, textField, webhookNameLength } from '@rewardhook/contract';
import {
  findEndpointDetails,
  listEndpointsPage,
  readWebhookLabels,
  registerEndpoint,
  updateEndpoint,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { checkUrl } from '@rewardhook/webhook';
import type { ChangeWebhookRequest, WebhookView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidRequest, notFound } from '../http/console-error.ts';
import { withOneOf } from '../http/fields.ts';
import type { Handlers } from '../http/route.ts';
import { toWebhookView } from './webhook-view.ts';

const types = () =>
  Joi.array()
    .items(Joi.string().valid(...eventTypes))
    .min(1)
    .unique();

const changeable = {
  name: textField(webhookNameLength).allow(null),
  url: textField(2_048),
  event_types: types(),
  retry_hours: Joi.number().integer().min(1).max(720).allow(null),
};

export const webhookHandlers = ({ database, allowLoopbackHttp, webhookLimits }: ConsoleDependencies) =>
  ({
    'GET /webhooks/event-types': async () => [...eventTypes],

    /** Oldest first. */
    'GET /webhooks': {
      input: pageFields,
      async handle({ merchantId, input: page }) {
        const { items, next } = await listEndpointsPage(database, merchantId, page);
        const labels = await readWebhookLabels(database, merchantId);
        return { items: items.map((row) => toWebhookView(row, labels.get(row.id) ?? row.url)), next };
      },
    },

    'GET /webhooks/:id': ({ merchantId, params }) => requireWebhook(database, merchantId, params.id),

    'POST /webhooks': {
      input: {
        name: textField(webhookNameLength).allow(null),
        url: textField(2_048).required(),
        event_types: types().required(),
      },
      async handle({ merchantId, input }) {
        const url = requireUsableUrl(input.url, allowLoopbackHttp);
        const id = newId('whk');
        const { name = null, event_types: chosen } = input;
        const endpoint = { id, merchantId, name, url, eventTypes: chosen };
        await registerEndpoint(database, endpoint, webhookLimits.endpoints);
        return requireWebhook(database, merchantId, id);
      },
    },

    'PATCH /webhooks/:id': {
      input: withOneOf<ChangeWebhookRequest>(changeable, { base: Joi.object(changeable) }),
      async handle({ merchantId, params: { id }, input: { base, ...changes } }) {
        if (changes.url !== undefined) changes.url = requireUsableUrl(changes.url, allowLoopbackHttp);
        const done = await updateEndpoint(database, merchantId, id, toRow(changes), {
          limits: webhookLimits.endpoints,
          base: base && toRow(base),
        });
        if (!done) throw notFound();
        return requireWebhook(database, merchantId, id);
      },
    },
  }) satisfies Partial<Handlers>;

function toRow({ name, url, event_types: chosen, retry_hours: retryHours }: ChangeWebhookRequest) {
  return {
    ...(name === undefined ? {} : { name }),
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
  return toWebhookView(found, (await readWebhookLabels(database, merchantId)).get(id) ?? found.url);
}

/** The normalized URL. @throws ConsoleError `invalid_request` */
function requireUsableUrl(url: string, allowLoopbackHttp: boolean): string {
  const checked = checkUrl(url, { allowLoopbackHttp });
  if (!checked.ok) throw invalidRequest({ url: checked.error });
  return checked.url.href;
}
