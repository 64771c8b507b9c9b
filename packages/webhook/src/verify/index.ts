export { handledInMemory, type HandledEvents } from './handled-events.ts';
export type { WebhookHeaders } from './header-of.ts';
export { verificationFailures, type VerificationFailure } from './verification-failure.ts';
export { verifySignature } from './verify-signature.ts';
export { verifyWebhook, type WebhookVerification, type WebhookVerificationInput } from './verify-webhook.ts';
export { idempotencyKeyOf, type WebhookEvent } from './webhook-event.ts';
export {
  webhookReceiver,
  type EventContext,
  type ReceiverCode,
  type ReceiverRequest,
  type ReceiverResponse,
  type WebhookReceiverOptions,
} from './webhook-receiver.ts';
