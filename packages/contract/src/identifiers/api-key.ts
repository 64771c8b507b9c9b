import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from './mode.ts';
import { base62, randomBase62 } from './random-text.ts';

/** Secret keys are for the servers of merchants, public keys for the browser SDK. */
export type ApiKeyKind = 'secret' | 'public';

/** A well-formed key: its kind, its side, and the SHA-256 under which an active key is stored. */
export interface ParsedApiKey {
  kind: ApiKeyKind;
  mode: Mode;
  sha256: Buffer;
}

const prefixes: Record<ApiKeyKind, string> = { secret: 'svc_sk_', public: 'svc_pk_' };
/** Follows the prefix in keys of a test side. Live keys have nothing there. */
const testMark = 'test_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const format = /^svc_([sp])k_(test_)?[0-9A-Za-z]{38}$/;

/**
 * A new key: prefix, `test_` for a test side, 32 random base62 characters (190 bits), and the CRC-32 of all of it as 6
 * base62 characters.
 */
export function generateApiKey(kind: ApiKeyKind, mode: Mode = 'live'): string {
  const body = prefixes[kind] + (mode === 'test' ? testMark : '') + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Parses a key. Undefined when its format or checksum is wrong, so that such keys need no database query. */
export function parseApiKey(text: string | undefined): ParsedApiKey | undefined {
  const parts = text === undefined ? null : format.exec(text);
  if (text === undefined || parts === null) return undefined;
  const [, letter, mark] = parts;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return {
    kind: letter === 's' ? 'secret' : 'public',
    mode: mark === undefined ? 'live' : 'test',
    sha256: hashApiKey(text),
  };
}

/** The SHA-256 of a key, the only form in which keys are stored (32 bytes). */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** The parts of a key that are shown after its creation: `svc_sk_` or `svc_sk_test_`, and the last four characters. */
export function describeApiKey(key: string): { prefix: string; lastFour: string } {
  return { prefix: key.slice(0, -(RANDOM_LENGTH + CHECKSUM_LENGTH)), lastFour: key.slice(-4) };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit++) {
    digits = base62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
