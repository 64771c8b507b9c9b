/** Every event type a merchant can be sent; the value of the `X-Service-Event` header. */
export const eventTypes = [
  'reward.issue',
  'reward.revoke',
  'webhook.ping',
  'endpoint.failing',
  'endpoint.disabling_soon',
  'endpoint.disabled',
] as const;

/** One of {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];
