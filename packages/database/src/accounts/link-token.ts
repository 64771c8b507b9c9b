import { createHash, randomBytes } from 'node:crypto';

/** What is kept of the token of a link. */
export function hashLinkToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The token of a link that lets its holder in: 256 random bits, of which only the SHA-256 is kept. */
export function newLinkToken(): { token: string; tokenSha256: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenSha256: hashLinkToken(token) };
}
