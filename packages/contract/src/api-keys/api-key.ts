import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomBase62 } from './random-text.ts';

/** Secret keys are for merchant servers, public keys for the client SDK. */
export type ApiKeyKind = 'secret' | 'public';

/** A key of the right form: what it claims to be, and the SHA-256 under which a live key is stored. */
export interface ParsedApiKey {
  kind: ApiKeyKind;
  sha256: Buffer;
}

const prefixes: Record<ApiKeyKind, string> = { secret: 'svc_sk_', public: 'svc_pk_' };
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const form = /^svc_([sp])k_[0-9A-Za-z]{38}$/;

/** A new key: prefix, 32 random base62 characters (190 bits), and the CRC-32 of both as 6 base62 characters. */
export function generateApiKey(kind: ApiKeyKind): string {
  const body = prefixes[kind] + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Reads a key; undefined when its form or checksum is wrong, so that typing errors and noise cost no look-up. */
export function parseApiKey(text: string | undefined): ParsedApiKey | undefined {
  const letter = text === undefined ? undefined : form.exec(text)?.[1];
  if (text === undefined || letter === undefined) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return { kind: letter === 's' ? 'secret' : 'public', sha256: hashApiKey(text) };
}

/** The SHA-256 of a key, the only form in which keys are stored (32 bytes). */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** What may be shown of a key after its creation, to tell keys apart: `svc_sk_` and the last four characters. */
export function describeApiKey(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, prefixes.secret.length), lastFour: key.slice(-4) };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
