import { readSignatureCheck } from './verify-input.ts';
import type { SignatureCheck, WebhookVerification, WebhookVerificationInput } from './verify-input.ts';

/** As `verifyWebhook`, with WebCrypto, which edge runtimes have instead of `node:crypto`. */
export async function verifyWithWebCrypto(input: WebhookVerificationInput): Promise<WebhookVerification> {
  const check = readSignatureCheck(input);
  return 'conclude' in check ? check.conclude(await hasValidSignature(check)) : check;
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

/** Compares every signature under every key; WebCrypto compares in constant time. */
async function hasValidSignature({ keys, message, signatures }: SignatureCheck): Promise<boolean> {
  const { subtle } = globalThis.crypto;
  const results = await Promise.all(
    keys.map(async (bytes) => {
      const key = await subtle.importKey('raw', bytes, algorithm, false, ['verify']);
      return Promise.all(signatures.map((signature) => subtle.verify('HMAC', key, signature, message)));
    }),
  );
  return results.flat().includes(true);
}
