/** Why a request is not taken for a webhook of ours: the closed list, each with a sentence for people. */
export const verificationFailures = {
  missing_signature: 'neither webhook-signature nor X-Service-Signature is there',
  malformed_signature: 'X-Service-Signature is not "sha256=" and 64 lowercase hex digits',
  wrong_signature: 'no signature fits these bytes under any of the secrets',
  missing_delivery_id: 'neither webhook-id nor X-Service-Delivery is there',
  mismatched_delivery_id: 'X-Service-Delivery is not the signed webhook-id',
  missing_timestamp:
    'there is no signed timestamp, so an old request cannot be told from a new one: let webhook-id, webhook-timestamp ' +
    'and webhook-signature through your proxy, or set requireTimestamp to false and grant each reward.id once',
  malformed_timestamp: 'webhook-timestamp is not a whole number of seconds',
  too_old: 'webhook-timestamp is too far in the past: an old request is repeated, or your clock is fast',
  too_new: 'webhook-timestamp is too far in the future: your clock is slow',
  malformed_event: 'the signature is right but the body is not an event in JSON',
} as const;

/** One of {@link verificationFailures}. */
export type VerificationFailure = keyof typeof verificationFailures;
