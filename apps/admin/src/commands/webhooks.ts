import { describeFieldError, eventTypes, newId } from '@rewardhook/contract';
import type { EventType } from '@rewardhook/contract';
import {
  deleteEndpoint,
  enableEndpoint,
  insertEndpoint,
  listEndpoints,
  registerEndpoint,
} from '@rewardhook/database';
import { checkUrl } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';
import { readFlag } from '../read-linking.ts';
import { requireMerchant } from '../require-merchant.ts';

export const webhookAdd = command({
  does: 'Register a webhook URL for event types.',
  required: {
    merchant: 'merchant id',
    url: 'https URL that webhooks are posted to',
    events: `comma-separated: ${eventTypes.join(', ')}`,
  },
  optional: { 'ignore-limits': 'true registers it beyond the limits (default false)' },
  async run(options, { database, allowLoopbackHttp, webhookLimits }) {
    const { merchant, url: given, events, 'ignore-limits': ignoreLimits } = options;
    const types = [...new Set(events.split(',').map((type) => type.trim()))];
    const unknown = types.filter((type) => !eventTypes.includes(type as EventType));
    if (unknown.length > 0)
      throw new UsageError(`Unknown event type: ${unknown.join(', ')}. There are ${eventTypes.join(', ')}.`);
    const checked = checkUrl(given, { allowLoopbackHttp });
    if (!checked.ok) throw new UsageError(`The URL cannot be used: it ${describeFieldError(checked.error)}.`);
    await requireMerchant(database, merchant);
    const webhookId = newId('whk');
    const url = checked.url.href;
    const endpoint = { id: webhookId, merchantId: merchant, url, eventTypes: types };
    if (ignoreLimits !== undefined && readFlag('--ignore-limits', ignoreLimits))
      await insertEndpoint(database, endpoint);
    else await registerEndpoint(database, endpoint, webhookLimits.endpoints);
    return { document: { webhookId, url, eventTypes: types } };
  },
});

export const webhookList = command({
  does: "List a merchant's webhooks.",
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    return { document: { webhooks: await listEndpoints(database, merchant) } };
  },
});

export const webhookDelete = command({
  does: 'Delete a webhook; what was still to be sent to it is cancelled.',
  required: { merchant: 'merchant id', webhook: 'webhook id (see webhook list)' },
  async run({ merchant, webhook }, { database }) {
    if (!(await deleteEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
    return { document: { webhookId: webhook, deleted: true } };
  },
});

export const webhookEnable = command({
  does: 'Send to a disabled webhook again, what was held included.',
  required: { merchant: 'merchant id', webhook: 'webhook id (see webhook list)' },
  async run({ merchant, webhook }, { database }) {
    if (!(await enableEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no disabled webhook ${webhook}.`);
    return { document: { webhookId: webhook, enabled: true } };
  },
});
