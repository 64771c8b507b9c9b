export { verifySignature } from '../signatures.ts';
export { handledInMemory, type HandledEvents } from './handled-events.ts';
export {
  verificationFailures,
  verifyWebhook,
  type VerificationFailure,
  type WebhookHeaders,
  type WebhookVerification,
  type WebhookVerificationInput,
} from './verify-webhook.ts';
export { idempotencyKeyOf, type WebhookEvent } from './webhook-event.ts';
export {
  webhookReceiver,
  type EventContext,
  type ReceiverCode,
  type ReceiverRequest,
  type ReceiverResponse,
  type WebhookReceiverOptions,
} from './webhook-receiver.ts';
