import { randomFillSync } from 'node:crypto';

/** Digits, capitals and small letters. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` characters of `alphabet` (at most 256 of them), each equally likely, from the system's secure source. */
export function randomText(alphabet: string, length: number): string {
  // Bytes past the last whole multiple of the alphabet would favour its first characters.
  const limit = 256 - (256 % alphabet.length);
  // Written as bytes: a string that grows by a character at a time takes four times as long.
  const written = length <= scratch.length ? scratch : Buffer.alloc(length);
  for (let place = 0; place < length; place += 1) {
    let byte = nextByte();
    while (byte >= limit) byte = nextByte();
    written[place] = alphabet.charCodeAt(byte % alphabet.length);
  }
  const text = written.toString('latin1', 0, length);
  written.fill(0, 0, length);
  return text;
}

const scratch = Buffer.alloc(64);

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
