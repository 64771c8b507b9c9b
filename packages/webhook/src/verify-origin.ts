import { refuseUrl } from './url-error.ts';
import type { UrlRefusal } from './url-error.ts';
import type { WebhookClient } from './webhook-client.ts';

/** The file in which an origin lists the merchants that may send visitors to it: merchant ids, one on each line. */
export const originProofPath = '/.well-known/rewardhook-verification.txt';

/** Whether an origin lists the merchant, or why it counts as not verified. */
export type OriginProof = { ok: true } | UrlRefusal;

/**
 * Fetches the proof with the guarded client: public addresses only, no redirects, bounded in time and size. Merchant ids are
 * not secret: the proof is a file that only the owner of the origin can publish.
 */
export async function verifyOrigin(
  client: WebhookClient,
  origin: string,
  merchantId: string,
): Promise<OriginProof> {
  const proof = await client.attempt({
    url: origin + originProofPath,
    method: 'GET',
    headers: { accept: 'text/plain', 'user-agent': 'Rewardhook' },
  });
  const path = originProofPath;
  if (proof.result === 'error')
    return refuseUrl('origin_proof_unreachable', { path, problem: proof.message });
  if (proof.status !== 200) return refuseUrl('origin_proof_status', { path, status: proof.status });
  const lines = proof.responseBody
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  // A page that displays input of visitors is no proof, so the file must contain ids only.
  if (!lines.every((line) => /^mer_\w+$/.test(line))) return refuseUrl('origin_proof_content', { path });
  return lines.includes(merchantId)
    ? { ok: true }
    : refuseUrl('origin_proof_missing', { path, line: merchantId });
}
