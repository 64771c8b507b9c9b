/** Verifies Rewardhook webhooks in Node, and handles each event once. */
export {
  handledInDatabase,
  handledInMemory,
  type HandledEvents,
  type HandledTransaction,
} from './handled-events.ts';
export type {
  EndpointNoticeData,
  EventOf,
  EventType,
  RewardEventData,
  RewardRevokeEventData,
  WebhookEvent,
} from './events.ts';
export type { NodeReceiver, ReceiverRequest, ReceiverResponse } from './node-receiver.ts';
export type {
  EventContext,
  EventHandlers,
  OnEvent,
  ReceiverCode,
  WebhookReceiverOptions,
} from './receiver.ts';
export { receiverOptions } from './receiver.ts';
export { signWebhook, type WebhookToSign } from './sign-webhook.ts';
export { signingKeyOf } from './signing-key.ts';
export {
  verificationFailures,
  type VerificationFailure,
  type VerificationOptions,
  type WebhookHeaders,
  type WebhookVerification,
  type WebhookVerificationInput,
} from './verify-input.ts';
export { verifySignature, verifyWebhook } from './verify-webhook.ts';
export { idempotencyKeyOf } from './webhook-event.ts';
export { webhookReceiver } from './webhook-receiver.ts';
