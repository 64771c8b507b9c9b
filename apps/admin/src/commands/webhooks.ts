import { describeFieldError, eventTypes, newId, textProblem, webhookNameLength } from '@rewardhook/contract';
import type { EventType } from '@rewardhook/contract';
import {
  countEarlierRewards,
  countUnsentDeliveries,
  deleteEndpoint,
  findWebhooks,
  enableEndpoint,
  insertEndpoint,
  listEndpoints,
  noteUnchanged,
  openTestEventStore,
  pauseEndpoint,
  registerEndpoint,
  replayCountMs,
  resumeEndpoint,
  sendEarlierRewards,
  setEndpoint,
} from '@rewardhook/database';
import { checkUrl, openWebhookClient, sendTestEvent } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';
import { toWebhookDocument } from '../documents.ts';
import { readFlag, requireMerchant } from '../option-values.ts';

const required = { merchant: 'merchant id', webhook: 'webhook id (see webhook list)' };

/** @throws UsageError when one of them is not an event type */
function readEventTypes(given: string[]): EventType[] {
  const unknown = given.filter((type) => !eventTypes.includes(type as EventType));
  if (unknown.length > 0)
    throw new UsageError(
      `Unknown event type: ${unknown.join(', ')}. The event types are ${eventTypes.join(', ')}.`,
    );
  return given as EventType[];
}

/** The name of a webhook; null when it is empty. @throws UsageError */
function readName(given: string): string | null {
  if (given === '') return null;
  const problem = textProblem(given, 1, webhookNameLength);
  if (problem) throw new UsageError(`--name is not valid: ${problem}.`);
  return given;
}

export const webhookAdd = command({
  description: 'Register a webhook URL for event types.',
  audit: 'webhook.created',
  required: {
    merchant: 'merchant id',
    url: 'https URL that events are posted to',
    events: `comma-separated: ${eventTypes.join(', ')}`,
  },
  optional: {
    name: 'what the shop calls it, at most 100 characters',
    'ignore-limits': 'true registers it even if a limit is reached (default false)',
  },
  async run(options, { database, allowLoopbackHttp, webhookLimits }) {
    const { merchant } = options;
    const types = readEventTypes([...new Set(options.events.split(',').map((type) => type.trim()))]);
    const checked = checkUrl(options.url, { allowLoopbackHttp });
    if (!checked.ok) throw new UsageError(`The URL cannot be used: it ${describeFieldError(checked.error)}.`);
    await requireMerchant(database, merchant);
    const webhookId = newId('whk');
    const url = checked.url.href;
    const name = options.name === undefined ? null : readName(options.name);
    const endpoint = { id: webhookId, merchantId: merchant, name, url, eventTypes: types };
    if (readFlag('--ignore-limits', options.ignoreLimits)) await insertEndpoint(database, endpoint);
    else await registerEndpoint(database, endpoint, webhookLimits.endpoints);
    const { count: earlierRewards } = await countEarlierRewards(database, merchant, webhookId, replayCountMs);
    return { document: { webhookId, name, url, eventTypes: types, earlierRewards } };
  },
});

export const webhookSendEarlierRewards = command({
  description:
    'Send a webhook the reward.issue of every confirmed reward of which no webhook was notified, because none had registered for it.',
  audit: 'webhook.earlier_rewards_sent',
  required,
  flags: { 'dry-run': 'only count the rewards' },
  async run({ merchant, webhook, dryRun }, { database }) {
    const endpoints = await listEndpoints(database, merchant);
    const endpoint = endpoints.find(({ id }) => id === webhook);
    if (!endpoint) throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
    if (!endpoint.eventTypes.includes('reward.issue'))
      throw new UsageError(`Webhook ${webhook} is not registered for reward.issue.`);
    if (dryRun !== undefined) {
      noteUnchanged();
      return { document: { dryRun: true, ...(await countEarlierRewards(database, merchant, webhook)) } };
    }
    return { document: { webhookId: webhook, ...(await sendEarlierRewards(database, merchant, webhook)) } };
  },
});

export const webhookList = command({
  description: "List a merchant's webhooks.",
  audit: null,
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    const endpoints = await listEndpoints(database, merchant);
    return { document: { webhooks: endpoints.map((endpoint) => toWebhookDocument(endpoint)) } };
  },
});

export const webhookFind = command({
  description: 'Find the webhooks of all merchants by a part of their URL.',
  audit: null,
  required: { url: 'a part of the URL' },
  async run({ url }, { database }) {
    return { document: { webhooks: await findWebhooks(database, url) } };
  },
});

export const webhookDelete = command({
  description: 'Delete a webhook. Its unsent deliveries are cancelled.',
  audit: 'webhook.deleted',
  required,
  async preview({ merchant, webhook }, { database }) {
    const endpoints = await listEndpoints(database, merchant);
    const found = endpoints.find(({ id }) => id === webhook);
    if (!found) throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
    const deliveriesCancelled = await countUnsentDeliveries(database, merchant, webhook);
    return {
      what: `Deletes the webhook ${webhook} of ${merchant} to ${found.url}, and cancels its unsent deliveries.`,
      counts: { deliveriesCancelled, webhooksLeft: endpoints.length - 1 },
    };
  },
  async run({ merchant, webhook }, { database }) {
    if (!(await deleteEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
    return { document: { webhookId: webhook, deleted: true } };
  },
});

export const webhookEnable = command({
  description: 'Enable a disabled webhook. Held deliveries are sent too.',
  audit: 'webhook.enabled',
  required,
  async run({ merchant, webhook }, { database }) {
    if (!(await enableEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no disabled webhook ${webhook}.`);
    return { document: { webhookId: webhook, enabled: true } };
  },
});

export const webhookTest = command({
  description:
    'Send a test event now, also to a webhook that its merchant has paused or that is disabled, and show the response. The exit code is 1 unless it is 2xx.',
  audit: 'webhook.tested',
  required,
  optional: {
    type: `the event type whose sample is sent: ${eventTypes.join(', ')} (default webhook.ping)`,
  },
  async run(
    { merchant, webhook, type: given = 'webhook.ping' },
    { database, sealer, allowLoopbackHttp, webhookLimits },
  ) {
    const [type = 'webhook.ping'] = readEventTypes([given]);
    const client = openWebhookClient({ allowLoopbackHttp });
    try {
      const store = openTestEventStore(database, sealer, {
        merchantId: merchant,
        endpointId: webhook,
        type,
        secondsBetween: webhookLimits.testSeconds,
      });
      const sent = await sendTestEvent(client, store);
      if (!sent) throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
      return { document: sent, ok: sent.delivered };
    } finally {
      await client.close();
    }
  },
});

export const webhookPause = command({
  description: 'Pause a webhook: its deliveries are held until it is resumed.',
  audit: 'webhook.paused',
  required,
  async run({ merchant, webhook }, { database }) {
    if (!(await pauseEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}, or it is already paused.`);
    return { document: { webhookId: webhook, paused: true } };
  },
});

export const webhookResume = command({
  description: 'Resume a paused webhook. Held deliveries are sent too.',
  audit: 'webhook.resumed',
  required,
  async run({ merchant, webhook }, { database }) {
    if (!(await resumeEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no paused webhook ${webhook}.`);
    return { document: { webhookId: webhook, paused: false } };
  },
});

export const webhookSet = command({
  description: 'Set the name of a webhook, and how long deliveries to it are retried.',
  audit: 'webhook.changed',
  required,
  optional: {
    name: 'what the shop calls it, at most 100 characters; empty removes the name',
    'retry-hours': '1 to 720, or "schedule" for the default of 75 hours',
  },
  async run({ merchant, webhook, name, retryHours: text }, { database }) {
    if (name === undefined && text === undefined) throw new UsageError('Give --name or --retry-hours.');
    const hours = text === 'schedule' ? null : Number(text);
    if (text !== undefined && hours !== null && !(Number.isInteger(hours) && hours >= 1 && hours <= 720))
      throw new UsageError('--retry-hours must be a whole number from 1 to 720, or "schedule".');
    const settings = {
      ...(name !== undefined && { name: readName(name) }),
      ...(text !== undefined && { retryHours: hours }),
    };
    if (!(await setEndpoint(database, merchant, webhook, settings)))
      throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
    return { document: { webhookId: webhook, ...settings } };
  },
});
