import { signingKeyContext } from '@rewardhook/database';
import type { ClaimedDelivery, Sealer, SendableEndpoint } from '@rewardhook/database';
import { chooseSigningSecrets, deliveryHeaders } from '@rewardhook/webhook';
import type { AttemptResult, SigningSecrets, WebhookClient } from '@rewardhook/webhook';

/** The secrets that sign the deliveries of an endpoint; undefined when its merchant has no promoted key. */
export function signingSecrets(endpoint: SendableEndpoint, sealer: Sealer): SigningSecrets | undefined {
  return chooseSigningSecrets(
    endpoint.signingKeys.map(({ id, secret, promoted }) => ({
      secret: sealer.open(secret, signingKeyContext(endpoint.merchantId, id)),
      promoted,
    })),
  );
}

/** One POST of a delivery. */
export interface SentAttempt {
  startedAt: Date;
  result: AttemptResult;
}

/** Signs the stored bytes of a delivery and POSTs them once. */
export async function sendAttempt(
  client: WebhookClient,
  { url, signing }: { url: string; signing: SigningSecrets | undefined },
  delivery: ClaimedDelivery,
): Promise<SentAttempt> {
  const startedAt = new Date();
  const body = Buffer.from(delivery.body, 'utf8');
  const headers = deliveryHeaders({
    eventType: delivery.eventType,
    deliveryId: delivery.id,
    attempt: delivery.attemptsMade + 1,
    body,
    signing,
    timestampSeconds: Math.floor(startedAt.getTime() / 1_000),
  });
  return { startedAt, result: await client.attempt({ url, headers, body }) };
}
