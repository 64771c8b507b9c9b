import { createHmac } from 'node:crypto';
import { signingKeyOf } from './signing-secret.ts';

/** What a Standard Webhooks signature covers, and the secrets that sign (more than one during a rotation). */
export type StandardSignatureInput = {
  id: string;
  timestampSeconds: number;
  body: Uint8Array;
  secrets: readonly string[];
};

/**
 * The `webhook-signature` header of the Standard Webhooks specification: one `v1,<base64>` for each secret,
 * in the order given, separated by a space. Signed are `<id>.<timestamp>.<body>`; the key is the base64
 * part of the secret, decoded.
 *
 * @throws TypeError for a secret without a usable key, see {@link signingKeyOf}.
 */
export function standardSignature({ id, timestampSeconds, body, secrets }: StandardSignatureInput): string {
  const prefix = `${id}.${timestampSeconds}.`;
  return secrets.map((secret) => `v1,${hmac(secret, prefix, body)}`).join(' ');
}

function hmac(secret: string, prefix: string, body: Uint8Array): string {
  return createHmac('sha256', signingKeyOf(secret)).update(prefix).update(body).digest('base64');
}
