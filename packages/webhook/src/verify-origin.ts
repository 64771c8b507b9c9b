import type { WebhookClient } from './webhook-client.ts';
import { refuseUrl } from './url-error.ts';
import type { UrlRefusal } from './url-error.ts';

/** The file in which an origin lists the merchants that may send visitors to it: merchant ids, one on each line. */
export const originProofPath = '/.well-known/rewardhook-verification.txt';

/** Whether an origin lists the merchant, or why it counts as not verified. */
export type OriginProof = { ok: true } | UrlRefusal;

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
  const path = originProofPath;
  if (outcome.result === 'error')
    return refuseUrl('origin_proof_unreachable', { path, problem: outcome.message });
  if (outcome.status !== 200) return refuseUrl('origin_proof_status', { path, status: outcome.status });
  const lines = outcome.responseBody
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // A page that shows what its visitors write is no proof: this file holds ids and nothing else.
  if (!lines.every((line) => /^mer_\w+$/.test(line))) return refuseUrl('origin_proof_content', { path });
  return lines.includes(merchantId)
    ? { ok: true }
    : refuseUrl('origin_proof_missing', { path, line: merchantId });
}
