import { nodeReceiver } from './node-receiver.ts';
import type { NodeReceiver } from './node-receiver.ts';
import type { WebhookReceiverOptions } from './receiver.ts';
import { verifyWebhook } from './verify-webhook.ts';

/**
 * Creates a handler for `node:http`, or for `app.post('/webhooks', webhookReceiver({ … }))` of Express. It needs the raw
 * bytes: mount it before `express.json()`, or behind `express.raw({ type: '*\/*' })`.
 *
 * Answers 400 and the reason when the request is not verified, 200 when `onEvent` has completed, 200 without calling it for
 * an event that was handled before (in any delivery and at any URL) and for a test event, and 500 when it throws.
 *
 * @throws TypeError at once when a secret is missing, empty or malformed: usually a variable that is not set.
 */
export function webhookReceiver<Transaction = undefined>(
  options: WebhookReceiverOptions<Transaction>,
): NodeReceiver {
  return nodeReceiver(options, verifyWebhook);
}
