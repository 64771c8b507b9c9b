import { createHmac } from 'node:crypto';

/**
 * The contract's `X-Service-Signature`: `sha256=` and the lowercase hex HMAC-SHA256 of the raw body bytes.
 *
 * The HMAC key is the UTF-8 bytes of the whole secret exactly as the merchant reads it in the console
 * (`whsec_` included), so a receiver needs no decoding step. The Standard Webhooks header uses the decoded
 * part instead, see {@link standardSignature}.
 */
export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
