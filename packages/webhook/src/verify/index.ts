export type { WebhookHeaders } from './header-of.ts';
export { seenInMemory, type SeenDeliveries } from './seen-deliveries.ts';
export { verificationFailures, type VerificationFailure } from './verification-failure.ts';
export { verifySignature } from './verify-signature.ts';
export { verifyWebhook, type WebhookVerification, type WebhookVerificationInput } from './verify-webhook.ts';
export type { WebhookEvent } from './webhook-event.ts';
export {
  webhookReceiver,
  type ReceiverCode,
  type ReceiverRequest,
  type ReceiverResponse,
  type WebhookReceiverOptions,
} from './webhook-receiver.ts';
