import { certify } from '@rewardhook/certify';
import { findSignedEndpoint, requireUnpausedDelivery } from '@rewardhook/database';
import { chooseSigningSecrets, deliveryHeaders } from '@rewardhook/webhook';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, rateLimited, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

/** Runs of a merchant, on both sides together, in an hour. Each sends some 60 requests. */
const maxPerHour = 20;

/**
 * Checks the receiver with events that are marked as tests, through the guarded client, in any state of the webhook. Nothing of
 * it is stored as a delivery. The URL must have answered 2xx before, so that nobody can have strangers checked. It takes some
 * seconds, 60 at most; a merchant can run one at a time, on both sides together.
 */
export function certifyHandlers({ database, sealer, webhookClient, openRateLimit }: ConsoleDependencies) {
  const runs = openRateLimit({ name: 'certifications', points: maxPerHour, seconds: 3_600 });
  const running = new Set<string>();
  return {
    async 'POST /webhooks/:id/certify'({ merchantId, params }) {
      const endpoint = await findSignedEndpoint(database, sealer, merchantId, params.id);
      if (!endpoint) throw notFound();
      const signing = chooseSigningSecrets(endpoint.signingKeys);
      if (!signing) throw refuse('webhook_not_signed');
      const { url, proven, liveMerchantId } = endpoint;
      if (!proven) throw refuse('webhook_not_proven');
      await requireUnpausedDelivery(database, merchantId);
      if (running.has(liveMerchantId)) throw refuse('certification_running');
      running.add(liveMerchantId);
      try {
        const { allowed, resetMs } = await runs.count(liveMerchantId);
        if (!allowed) throw rateLimited(resetMs, 'certifications');
        return await certify({
          url,
          signing,
          sign: deliveryHeaders,
          send: (request) => webhookClient.attempt({ url, ...request }),
        });
      } finally {
        running.delete(liveMerchantId);
      }
    },
  } satisfies Partial<Handlers>;
}
