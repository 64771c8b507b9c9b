export { attemptColumns, isDelivered } from './attempt-result.ts';
export type {
  AttemptColumns,
  AttemptError,
  AttemptErrorClass,
  AttemptResult,
  AttemptResponse,
  AttemptSending,
  AttemptTimings,
} from './attempt-result.ts';
export { checkLandingUrl, checkOrigin, type LinkingCheck } from './check-linking.ts';
export { checkUrl, maxUrlLength, type UrlCheck } from './check-url.ts';
export type { UrlError } from './url-error.ts';
export { chooseSigningSecrets, deliveryHeaders, findPrimaryKey } from './delivery-headers.ts';
export type { DeliveryHeadersInput, SigningKey, SigningSecrets } from './delivery-headers.ts';
export { isPublicAddress } from './is-public-address.ts';
export type { ResolveName } from './name-resolver.ts';
export { maxRetryAfterSeconds, nextDelayMs, retrySchedule, type NextDelayInput } from './retry-schedule.ts';
export { sendPing, type Ping, type PingStore, type SentPing } from './send-ping.ts';
export { signBody } from './sign-body.ts';
export { generateSigningSecret, signingSecretPrefix } from './signing-secret.ts';
export { standardSignature, type StandardSignatureInput } from './standard-signature.ts';
export { originProofPath, verifyOrigin, type OriginProof } from './verify-origin.ts';
export { verifySignature } from './verify/verify-signature.ts';
export {
  openWebhookClient,
  type AttemptRequest,
  type WebhookClient,
  type WebhookClientOptions,
} from './webhook-client.ts';
