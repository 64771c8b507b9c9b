import { webhookHandler } from './edge.ts';
import { nodeReceiver } from './node-receiver.ts';
import type { NodeReceiver } from './node-receiver.ts';
import type { WebhookReceiverOptions } from './receiver.ts';
import { verifyWithWebCrypto } from './web-crypto.ts';

export { handledInDatabase, handledInMemory } from './handled-events.ts';
export type { HandledEvents, HandledTransaction } from './handled-events.ts';
export type {
  EventContext,
  EventHandlers,
  OnEvent,
  ReceiverCode,
  WebhookReceiverOptions,
} from './receiver.ts';

/**
 * For `app/webhooks/route.ts`: `export const POST = webhookRoute({ … })`, in the Node and the edge runtime.
 *
 * @throws TypeError at once when a secret is missing, empty or malformed: usually a variable that is not set.
 */
export const webhookRoute: typeof webhookHandler = webhookHandler;

/**
 * For `pages/api/webhooks.ts`: `export default webhookApiRoute({ … })`, with
 * `export const config = { api: { bodyParser: false } }` in the same file, because the signature covers the raw bytes.
 *
 * @throws TypeError at once when a secret is missing, empty or malformed: usually a variable that is not set.
 */
export function webhookApiRoute<Transaction = undefined>(
  options: WebhookReceiverOptions<Transaction>,
): NodeReceiver {
  return nodeReceiver(options, verifyWithWebCrypto);
}
