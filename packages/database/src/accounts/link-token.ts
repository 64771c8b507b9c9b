import { createHash, randomBytes } from 'node:crypto';

/** The SHA-256 of the token of a link: what the database stores. */
export function hashLinkToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest());
}

/** Makes the token of a link that authorizes its holder: 256 random bits, of which only the SHA-256 is stored. */
export function newLinkToken(): { token: string; tokenSha256: Uint8Array<ArrayBuffer> } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenSha256: hashLinkToken(token) };
}
