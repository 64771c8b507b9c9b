export { attemptColumns, isDelivered } from './attempt-result.ts';
export type {
  AttemptColumns,
  AttemptError,
  AttemptResponse,
  AttemptResult,
  AttemptSending,
  AttemptTimings,
} from './attempt-result.ts';
export { checkAllowedOrigin, checkLandingUrl, checkOrigin, checkUrl } from './check-url.ts';
export type { LinkingCheck, UrlCheck } from './check-url.ts';
export { chooseSigningSecrets, deliveryHeaders, findPrimaryKey } from './delivery-headers.ts';
export type { DeliveryHeadersInput, SigningKey, SigningSecrets } from './delivery-headers.ts';
export type { ResolveName } from './resolve-name.ts';
export { nextDelayMs, retrySchedule } from './retry-schedule.ts';
export type { NextDelayInput } from './retry-schedule.ts';
export { sendDelivery } from './send-delivery.ts';
export type { OutgoingDelivery, SentDelivery } from './send-delivery.ts';
export { sendTestEvent } from './send-test-event.ts';
export type { SentTestEvent, TestEvent, TestEventStore } from './send-test-event.ts';
export { generateSigningSecret, signBody, standardSignature } from './signatures.ts';
export type { StandardSignatureInput } from './signatures.ts';
export type { UrlError } from './url-error.ts';
export { originProofPath, verifyOrigin } from './verify-origin.ts';
export type { OriginProof } from './verify-origin.ts';
export { openWebhookClient } from './webhook-client.ts';
export type { AttemptRequest, WebhookClient, WebhookClientOptions } from './webhook-client.ts';
