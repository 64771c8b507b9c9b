import { certify } from '@rewardhook/certify';
import { findSignedEndpoint } from '@rewardhook/database';
import { chooseSigningSecrets, deliveryHeaders } from '@rewardhook/webhook';
import type { WebhookCertifyResponse } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, rateLimited, refuse } from '../http/console-error.ts';
import { route } from '../http/route.ts';

/** Runs of a merchant in an hour. Each sends some 50 requests. */
const maxPerHour = 20;

/** After this time no further check begins; the one in progress can take 15 s more. */
const deadlineMs = 45_000;

/**
 * POST /webhooks/:id/certify: checks the receiver with events that are marked as tests, through the guarded client, in any
 * state of the webhook. Nothing of it is stored as a delivery. A merchant can run one at a time.
 */
export const certifyWebhook = ({ database, sealer, webhookClient, velocity }: ConsoleDependencies) => {
  const running = new Set<string>();
  return route(
    'developer',
    'POST',
    '/webhooks/:id/certify',
    async ({ merchantId, params }): Promise<WebhookCertifyResponse> => {
      const endpoint = await findSignedEndpoint(database, sealer, merchantId, String(params['id']));
      if (!endpoint) throw notFound();
      const signing = chooseSigningSecrets(endpoint.signingKeys);
      if (!signing) throw refuse('webhook_not_signed');
      if (running.has(merchantId)) throw refuse('certification_running');
      running.add(merchantId);
      try {
        const [runs] = await velocity.count(merchantId, [{ name: 'certifications', of: 'all' }]);
        if (runs && runs.count > maxPerHour) throw rateLimited(runs.endsInMs, 'certifications');
        const { url } = endpoint;
        return await certify({
          url,
          signing,
          sign: deliveryHeaders,
          send: (request) => webhookClient.attempt({ url, ...request }),
          deadlineMs,
        });
      } finally {
        running.delete(merchantId);
      }
    },
    { audit: 'webhook.certified' },
  );
};
