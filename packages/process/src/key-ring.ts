import { createHmac } from 'node:crypto';

/** A key of SECRETS_KEY. */
export interface RingKey {
  /** The id that the operator gave it, or its fingerprint. */
  id: string;
  /** Whether the operator gave it an id. */
  named: boolean;
  /** Identifies the key without revealing it: 12 hexadecimal digits. */
  fingerprint: string;
  /** 32 bytes in base64. */
  text: string;
  bytes: Buffer;
}

/** SECRETS_KEY is not a ring of keys. The message contains no part of a key. */
export class KeyRingError extends Error {}

const idFormat = /^[\w-]{1,32}$/;
const keyBytes = 32;

/**
 * Parses SECRETS_KEY: `<id>:<key>,<id>:<key>,…`, or one key without an id. A key is 32 bytes in base64
 * (`openssl rand -base64 32`), an id has 1 to 32 of the characters `A–Z a–z 0–9 _ -`. The first key encrypts; all of them
 * decrypt. @throws KeyRingError
 */
export function parseKeyRing(secretsKey: string): [RingKey, ...RingKey[]] {
  const keys = secretsKey.split(',').map((part) => parseKey(part.trim()));
  const [first, ...others] = keys;
  if (!first) throw new KeyRingError('SECRETS_KEY has no key');
  const repeated = keys.find(({ id }, index) => keys.findIndex((key) => key.id === id) !== index);
  if (repeated) throw new KeyRingError(`SECRETS_KEY has two keys with the id ${repeated.id}`);
  return [first, ...others];
}

function parseKey(part: string): RingKey {
  const colon = part.indexOf(':');
  const text = part.slice(colon + 1);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== keyBytes || bytes.toString('base64') !== text)
    throw new KeyRingError(
      'SECRETS_KEY must be 32 bytes in base64 (openssl rand -base64 32), or a ring of such keys',
    );
  const fingerprint = createHmac('sha256', bytes).update('fingerprint of a key').digest('hex').slice(0, 12);
  if (colon < 0) return { id: fingerprint, named: false, fingerprint, text, bytes };
  const id = part.slice(0, colon);
  if (!idFormat.test(id))
    throw new KeyRingError('an id in SECRETS_KEY must have 1 to 32 of the characters A-Z a-z 0-9 _ -');
  return { id, named: true, fingerprint, text, bytes };
}

/**
 * The ids of the keys of SECRETS_KEY, the encrypting one first, each with its fingerprint: `2027-01 (1f3a9c02b7d4)`. Two
 * processes with the same list have the same keys in the same order.
 */
export function keyIds(secretsKey: string): string[] {
  return parseKeyRing(secretsKey).map(({ id, named, fingerprint }) =>
    named ? `${id} (${fingerprint})` : id,
  );
}

/** An HMAC-SHA256 key for one purpose, derived from each key of SECRETS_KEY; that of the encrypting key first. */
export function deriveKeys(secretsKey: string, purpose: string): [Buffer, ...Buffer[]] {
  const derive = ({ text }: RingKey) => createHmac('sha256', text).update(purpose).digest();
  const [first, ...others] = parseKeyRing(secretsKey);
  return [derive(first), ...others.map(derive)];
}
