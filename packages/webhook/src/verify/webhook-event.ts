/** The body of a webhook, parsed. `id` and `type` are covered by the signature, unlike `X-Service-Event`. */
export type WebhookEvent<Data = unknown> = {
  /** `evt_…`: the same in every delivery of the event, to every URL. */
  id: string;
  /** For example `reward.issue`. */
  type: string;
  /** Only in test events: grant nothing, take nothing back. */
  test?: true;
  /** ISO 8601, UTC. */
  created_at: string;
  data: Data;
};

/** Parses an event; undefined when the bytes are not UTF-8, not JSON, or not an object with `id` and `type`. */
export function parseEvent(body: Uint8Array): WebhookEvent | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const { id, type } = value as Partial<WebhookEvent>;
    return typeof id === 'string' && typeof type === 'string' ? (value as WebhookEvent) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The key under which the work of an event is done once: the event type and the id of the reward, for example
 * `reward.issue rwd_…`; for events without a reward, the event type and the event id. It depends on the signed body only.
 * Delivery ids are not suitable: each URL has its own, a replay may have a new one, and `X-Service-Delivery` is not signed.
 */
export function idempotencyKeyOf(event: WebhookEvent): string {
  const { reward } = (event.data ?? {}) as { reward?: { id?: unknown } | null };
  const rewardId = reward?.id;
  return `${event.type} ${typeof rewardId === 'string' && rewardId !== '' ? rewardId : event.id}`;
}
