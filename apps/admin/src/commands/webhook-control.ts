import { openPingStore, pauseEndpoint, resumeEndpoint, updateRetryHours } from '@rewardhook/database';
import { openWebhookClient, sendPing } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';

const required = { merchant: 'merchant id', webhook: 'webhook id (see webhook list)' };

export const webhookTest = command({
  does: 'Send a webhook.ping now, also to a paused or disabled webhook, and show what came back. Exit code 1 when it was no 2xx.',
  required,
  async run({ merchant, webhook }, { database, sealer, allowLoopbackHttp, webhookLimits }) {
    const client = openWebhookClient({ allowLoopbackHttp });
    try {
      const ping = openPingStore(database, sealer, {
        merchantId: merchant,
        endpointId: webhook,
        secondsBetween: webhookLimits.testSeconds,
      });
      const sent = await sendPing(client, ping);
      if (!sent) throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
      return { document: sent, ok: sent.delivered };
    } finally {
      await client.close();
    }
  },
});

export const webhookPause = command({
  does: 'Send nothing to a webhook until it is resumed; what falls due is held.',
  required,
  async run({ merchant, webhook }, { database }) {
    if (!(await pauseEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no webhook ${webhook} that is not paused already.`);
    return { document: { webhookId: webhook, paused: true } };
  },
});

export const webhookResume = command({
  does: 'Send to a paused webhook again, what was held included.',
  required,
  async run({ merchant, webhook }, { database }) {
    if (!(await resumeEndpoint(database, merchant, webhook)))
      throw new UsageError(`Merchant ${merchant} has no paused webhook ${webhook}.`);
    return { document: { webhookId: webhook, paused: false } };
  },
});

export const webhookSet = command({
  does: 'Set over how long deliveries to a webhook are retried.',
  required: { ...required, 'retry-hours': '1 to 720, or "schedule" for the usual 75 h' },
  async run({ merchant, webhook, 'retry-hours': text }, { database }) {
    const hours = text === 'schedule' ? null : Number(text);
    if (hours !== null && !(Number.isInteger(hours) && hours >= 1 && hours <= 720))
      throw new UsageError('--retry-hours is a whole number from 1 to 720, or "schedule".');
    if (!(await updateRetryHours(database, merchant, webhook, hours)))
      throw new UsageError(`Merchant ${merchant} has no webhook ${webhook}.`);
    return { document: { webhookId: webhook, retryHours: hours } };
  },
});
