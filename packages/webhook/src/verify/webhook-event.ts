/** The body of a webhook, parsed. `id` and `type` are covered by the signature, unlike `X-Service-Event`. */
export type WebhookEvent<Data = unknown> = {
  /** `evt_…`: the same for every URL that is told of it. */
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
