/** The prefix of every signing secret (Standard Webhooks, "Symmetric signatures"). */
const prefix = 'whsec_';

/** The minimum length of a key (Standard Webhooks, "Symmetric signatures"). Those of Rewardhook have 32 bytes. */
const minKeyBytes = 24;

/**
 * The key of a signing secret: the part after `whsec_`, base64-decoded.
 * @throws TypeError when it is missing (often a variable that is not set), and when it is not `whsec_` and the base64 of at least
 * 24 bytes. `whsec_` alone would be an empty key, which anyone can sign with. The message does not contain the secret.
 */
export function signingKeyOf(secret: string | undefined): Uint8Array<ArrayBuffer> {
  return keyOf(secret, 'the signing secret');
}

/**
 * The key of each signing secret.
 * @throws TypeError as `signingKeyOf`: the message names the secret, such as `secrets[1]`. Also for an empty list.
 */
export function signingKeysOf(secrets: readonly (string | undefined)[]): Uint8Array<ArrayBuffer>[] {
  if (!Array.isArray(secrets) || secrets.length === 0)
    throw new TypeError('secrets must be a list of at least one signing secret');
  // Not `map`, which skips the holes of an array.
  return Array.from(secrets as (string | undefined)[], (secret, at) => keyOf(secret, `secrets[${at}]`));
}

function keyOf(secret: string | undefined, name: string): Uint8Array<ArrayBuffer> {
  if (secret === undefined || secret === '')
    throw new TypeError(`${name} is missing: is its environment variable set?`);
  const key =
    typeof secret === 'string' && secret.startsWith(prefix)
      ? decodeBase64(secret.slice(prefix.length))
      : undefined;
  if (!key || key.length < minKeyBytes)
    throw new TypeError(
      `${name} must be whsec_ and base64 of at least 24 bytes, exactly as the console shows it`,
    );
  return key;
}

/**
 * Decodes base64; undefined unless it is exactly what an encoder writes. Decoders skip characters and ignore bits, so that a
 * mistyped or shortened text would be decoded to other bytes.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    return btoa(binary) === text
      ? Uint8Array.from(binary, (character) => character.charCodeAt(0))
      : undefined;
  } catch {
    return undefined;
  }
}
