import type { WebhookClient } from './webhook-client.ts';

/** Where an origin says which merchants may send visitors to it: a text file of merchant ids, one on each line. */
export const originProofPath = '/.well-known/rewardhook-verification.txt';

/** Whether an origin names the merchant, or why not: the end of a sentence that begins with the URL of the file. */
export type OriginProof = { ok: true } | { ok: false; reason: string };

/**
 * Fetches the proof by the client that guards webhooks: public addresses only, no redirects, bounded in time and size.
 * Merchant ids are no secrets: the proof is that they stand in a file that only who controls the origin can put there.
 */
export async function verifyOrigin(
  client: WebhookClient,
  origin: string,
  merchantId: string,
): Promise<OriginProof> {
  const outcome = await client.attempt({
    url: origin + originProofPath,
    method: 'GET',
    headers: { accept: 'text/plain', 'user-agent': 'Rewardhook' },
  });
  if (outcome.result === 'error') return { ok: false, reason: `cannot be fetched: ${outcome.message}` };
  if (outcome.status !== 200)
    return { ok: false, reason: `answers with HTTP ${outcome.status}; redirects are not followed` };
  const lines = outcome.responseBody
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // A page that shows what its visitors write is no proof: this file holds ids and nothing else.
  if (!lines.every((line) => /^mer_\w+$/.test(line)))
    return { ok: false, reason: 'holds more than merchant ids, one on each line' };
  return lines.includes(merchantId) ? { ok: true } : { ok: false, reason: `has no line ${merchantId}` };
}
