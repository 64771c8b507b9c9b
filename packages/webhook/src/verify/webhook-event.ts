/** The body of a webhook, parsed. `id` and `type` are covered by the signature, unlike `X-Service-Event`. */
export type WebhookEvent<Data = unknown> = {
  /** `evt_…`: the same in every delivery of the event, to whichever URL. */
  id: string;
  /** For example `reward.issue`. */
  type: string;
  /** ISO 8601, UTC. */
  created_at: string;
  data: Data;
};

/** The event in these bytes, or undefined when they are not UTF-8, not JSON, or no object with `id` and `type`. */
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
 * `reward.issue rwd_…`; the event type and the event id for events that are not about a reward. It is made of the signed body alone.
 * Delivery ids do not serve for this: each URL has its own, a replay may have a new one, and `X-Service-Delivery` is not
 * signed.
 */
export function idempotencyKeyOf(event: WebhookEvent): string {
  const { reward } = (event.data ?? {}) as { reward?: { id?: unknown } | null };
  const rewardId = reward?.id;
  return `${event.type} ${typeof rewardId === 'string' && rewardId !== '' ? rewardId : event.id}`;
}
