import type { EventType, WebhookEvent } from './events.ts';

/**
 * Parses an event; undefined when the bytes are not UTF-8, not JSON, or not an object with `id` and `type`. Its type can be
 * one of a later release: ignore those that you do not know.
 */
export function parseEvent(body: Uint8Array): WebhookEvent | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const { id, type } = value as { id?: unknown; type?: unknown };
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
export function idempotencyKeyOf(event: {
  id: string;
  type: EventType | (string & {});
  data?: unknown;
}): string {
  const { reward } = (event.data ?? {}) as { reward?: { id?: unknown } | null };
  const rewardId = reward?.id;
  return `${event.type} ${typeof rewardId === 'string' && rewardId !== '' ? rewardId : event.id}`;
}

/**
 * Whether nothing is granted and nothing taken back for an event: for a test event, and for an event of the test side unless
 * the receiver accepts those.
 */
export function isTestEvent(event: WebhookEvent, acceptTestSide: boolean | undefined): boolean {
  // Not `!acceptTestSide`: the text 'false', as in the environment, must not accept them.
  if (event.mode === 'test' && acceptTestSide !== true) return true;
  // Any other value than false: it is safer to grant nothing.
  return event.test !== undefined && (event.test as unknown) !== false;
}
