import { hash } from 'node:crypto';
import { base62 } from './random-text.ts';

const length = 22;
/** Bytes from the incomplete last multiple of 62 would make the first characters more likely. */
const byteLimit = 256 - (256 % base62.length);

/**
 * An identifier derived from what it stands for: `evt_` and 22 base62 characters of a SHA-256 (131 bits), for the prefix
 * `evt`. The same parts always give the same identifier, so that a row that is written again after a restore keeps it.
 */
export function deriveId(prefix: string, ...parts: string[]): string {
  // JSON separates the parts: texts that contain separators themselves remain different.
  let digest = hash('sha256', JSON.stringify([prefix, ...parts]), 'buffer');
  let text = `${prefix}_`;
  let missing = length;
  // A digest almost always has enough bytes below the limit; otherwise its own digest continues.
  for (let index = 0; missing > 0; index += 1) {
    if (index === digest.length) {
      digest = hash('sha256', digest, 'buffer');
      index = 0;
    }
    const byte = digest[index] as number;
    if (byte >= byteLimit) continue;
    text += base62[byte % base62.length];
    missing -= 1;
  }
  return text;
}
