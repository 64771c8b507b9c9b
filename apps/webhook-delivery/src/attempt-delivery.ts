import { signingKeyContext } from '@rewardhook/database';
import type { ClaimedDelivery, Sealer, SendableEndpoint } from '@rewardhook/database';
import { chooseSigningSecrets, deliveryHeaders } from '@rewardhook/webhook';
import type { SigningSecrets, WebhookClient } from '@rewardhook/webhook';
import { classifyAttempt } from './classify-attempt.ts';
import type { ClassifiedAttempt } from './classify-attempt.ts';

/** The secrets that sign the deliveries of an endpoint; undefined when its merchant has no promoted key. */
export function signingSecrets(endpoint: SendableEndpoint, sealer: Sealer): SigningSecrets | undefined {
  return chooseSigningSecrets(
    endpoint.signingKeys.map(({ id, secret, promoted }) => ({
      secret: sealer.open(secret, signingKeyContext(endpoint.merchantId, id)),
      promoted,
    })),
  );
}

/** One POST of a delivery: the stored bytes, signed, and what came of it. */
export async function attemptDelivery(
  client: WebhookClient,
  { endpoint, signing }: { endpoint: SendableEndpoint; signing: SigningSecrets | undefined },
  delivery: ClaimedDelivery,
  probe: boolean,
): Promise<ClassifiedAttempt> {
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
  const outcome = await client.attempt({ url: endpoint.url, headers, body });
  return classifyAttempt({
    deliveryId: delivery.id,
    merchantId: endpoint.merchantId,
    leaseExpiresAt: delivery.leaseExpiresAt,
    url: endpoint.url,
    startedAt,
    scheduleStep: delivery.scheduleStep,
    probe,
    retryHours: endpoint.retryHours,
    outcome,
  });
}
