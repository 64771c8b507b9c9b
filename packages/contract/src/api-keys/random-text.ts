import { randomBytes } from 'node:crypto';

/** Digits, capitals and small letters. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` characters of `alphabet` (at most 256 of them), each equally likely, from the system's secure source. */
export function randomText(alphabet: string, length: number): string {
  // Bytes past the last whole multiple of the alphabet would favour its first characters.
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(2 * (length - text.length))) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** `length` random base62 characters. */
export function randomBase62(length: number): string {
  return randomText(base62, length);
}
