import { signingKeyContext } from '@rewardhook/database';
import type { ClaimedDelivery, Sealer, SendableEndpoint } from '@rewardhook/database';
import { deliveryHeaders } from '@rewardhook/webhook';
import type { SigningSecrets, WebhookClient } from '@rewardhook/webhook';
import { classifyAttempt } from './classify-attempt.ts';
import type { ClassifiedAttempt } from './classify-attempt.ts';

/** The secrets to sign with: the newest promoted key makes the contract's header, all live keys the standard one. */
export function signingSecrets(endpoint: SendableEndpoint, sealer: Sealer): SigningSecrets | undefined {
  const keys = endpoint.signingKeys.map(({ id, secret, promoted }) => ({
    secret: sealer.open(secret, signingKeyContext(endpoint.merchantId, id)),
    promoted,
  }));
  const primary = keys.find(({ promoted }) => promoted);
  return primary && { primary: primary.secret, all: keys.map(({ secret }) => secret) };
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
