import { createHmac, timingSafeEqual } from 'node:crypto';

/** `body`: the raw bytes. `headers`: names in lower case, as Node has them. */
export function hasValidSignature(body, headers, secret) {
  if (!/^whsec_.{32}/.test(secret)) throw new Error('not a signing secret'); // anyone can sign with an empty one
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(headers['x-service-signature'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
