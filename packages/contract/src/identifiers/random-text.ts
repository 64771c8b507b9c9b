import { randomFillSync } from 'node:crypto';

/** Digits, capital letters and small letters. */
export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new identifier: `evt_` and 22 base62 characters (131 random bits), for the prefix `evt`. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBase62(22)}`;
}

/** `length` random base62 characters. */
export function randomBase62(length: number): string {
  return randomText(base62, length);
}

/** `length` random characters of an alphabet of at most 256, each equally likely, from the secure random source. */
export function randomText(alphabet: string, length: number): string {
  // Bytes from the incomplete last multiple of the alphabet would make its first characters more likely.
  const limit = 256 - (256 % alphabet.length);
  // Collected as bytes: appending single characters to a string takes four times as long.
  const bytes = length <= scratch.length ? scratch : Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) {
    let byte = nextByte();
    while (byte >= limit) byte = nextByte();
    bytes[index] = alphabet.charCodeAt(byte % alphabet.length);
  }
  const text = bytes.toString('latin1', 0, length);
  bytes.fill(0, 0, length);
  return text;
}

const scratch = Buffer.alloc(64);

// Filled in bulk: a call of the random source costs more than everything else that an identifier takes.
const pool = Buffer.alloc(4_096);
let used = pool.length;

/** A random byte that is used once. It is erased from the pool, because secrets are made of these bytes. */
function nextByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const byte = pool[used] as number;
  pool[used] = 0;
  used += 1;
  return byte;
}
