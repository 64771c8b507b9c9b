import { randomFillSync } from 'node:crypto';

/** Digits, capitals and small letters. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` characters of `alphabet` (at most 256 of them), each equally likely, from the system's secure source. */
export function randomText(alphabet: string, length: number): string {
  // Bytes past the last whole multiple of the alphabet would favour its first characters.
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    const byte = nextByte();
    if (byte < limit) text += alphabet[byte % alphabet.length];
  }
  return text;
}

// Drawn in bulk: a call to the system's source costs more than all else that an id takes.
const drawn = Buffer.alloc(4_096);
let used = drawn.length;

/** A random byte that was never given out before; what was is wiped, since secrets are made of it. */
function nextByte(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const byte = drawn[used] as number;
  drawn[used] = 0;
  used += 1;
  return byte;
}

/** `length` random base62 characters. */
export function randomBase62(length: number): string {
  return randomText(base62, length);
}
