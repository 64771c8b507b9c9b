import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { parseKeyRing } from '@rewardhook/process';
import type { RingKey } from '@rewardhook/process';

/** The row that a secret belongs to: it is sealed for this row and opens for no other. */
export interface SecretContext {
  merchantId: string;
  purpose: 'signing-key' | 'identity-secret' | 'feed-cursor';
  /** The id of the row, when a merchant has several secrets of the purpose. */
  id?: string;
}

/** Encrypts secrets at rest. */
export interface Sealer {
  /** The ids of its keys; the first one seals. */
  keyIds: [string, ...string[]];
  seal(secret: string, context: SecretContext): string;
  /** @throws SealError when the text was sealed with another key or for another row, or was changed */
  open(sealed: string, context: SecretContext): string;
  /** A fingerprint of each key, the one that seals first: 48 bits in hexadecimal, which do not help to find the key. */
  fingerprints: string[];
  /** The id of the key that opens a text; undefined when none does. */
  keyOf(sealed: string, context: SecretContext): string | undefined;
  /** Whether a text is what `seal` writes now: with the first key. */
  isCurrent(sealed: string, context: SecretContext): boolean;
}

/** A sealed text does not open. The message explains why and does not contain the text. */
export class SealError extends Error {}

/** The context of a signing key's secret. */
export const signingKeyContext = (merchantId: string, id: string): SecretContext => ({
  merchantId,
  purpose: 'signing-key',
  id,
});

/** The context of a merchant's identity secret. */
export const identitySecretContext = (merchantId: string): SecretContext => ({
  merchantId,
  purpose: 'identity-secret',
});

/** The context of an identity secret that was replaced. */
export const formerIdentitySecretContext = (merchantId: string, id: string): SecretContext => ({
  merchantId,
  purpose: 'identity-secret',
  id,
});

/** What a sealed text begins with. */
const form = 'v1';

/**
 * Opens a sealer: AES-256-GCM with the keys of SECRETS_KEY. A sealed text is `v1.<key id>.<iv>.<tag>.<ciphertext>`, the
 * last three in base64url. The context is authenticated as additional data, so that write access to the database does not
 * suffice to give one merchant the secret of another.
 */
export function openSealer(secretsKey: string): Sealer {
  const ring = parseKeyRing(secretsKey);
  const [first, ...others] = ring;

  const openWith = (
    text: SealedText,
    context: SecretContext,
  ): { key: RingKey; secret: string } | undefined => {
    // The id says which key to try first. It proves nothing: the tag of the ciphertext does.
    const likely = ring.toSorted((a, b) => Number(b.id === text.keyId) - Number(a.id === text.keyId));
    for (const key of likely) {
      const secret = decrypt(text, key, context);
      if (secret !== undefined) return { key, secret };
    }
    return undefined;
  };
  return {
    keyIds: [first.id, ...others.map(({ id }) => id)],
    fingerprints: ring.map(({ fingerprint }) => fingerprint),
    seal(secret, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', first.bytes, iv).setAAD(additionalData(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [
        form,
        first.id,
        ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url')),
      ].join('.');
    },
    open(sealed, context) {
      const text = parseSealed(sealed);
      if (!text) throw new SealError('This is not a sealed secret.');
      const opened = openWith(text, context);
      if (opened) return opened.secret;
      throw new SealError(
        'A stored secret does not open: SECRETS_KEY does not contain the key that it was sealed with, or the stored text ' +
          'was changed or belongs to another merchant or row.',
      );
    },
    keyOf(sealed, context) {
      const text = parseSealed(sealed);
      return text && openWith(text, context)?.key.id;
    },
    isCurrent(sealed, context) {
      const text = parseSealed(sealed);
      return text?.keyId === first.id && decrypt(text, first, context) !== undefined;
    },
  };
}

/** A sealed text in its parts. */
interface SealedText {
  keyId: string;
  iv: Buffer;
  tag: Buffer;
  ciphertext: Buffer;
}

function parseSealed(sealed: string): SealedText | undefined {
  const [start, keyId, iv, tag, ciphertext] = sealed.split('.');
  if (start !== form || !keyId || !iv || !tag || ciphertext === undefined) return undefined;
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  return { keyId, iv: bytes(iv), tag: bytes(tag), ciphertext: bytes(ciphertext) };
}

/** The secret; undefined when the key is another one, or the text was changed or belongs to another row. */
function decrypt(
  { iv, tag, ciphertext }: SealedText,
  key: RingKey,
  context: SecretContext,
): string | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: 16 });
    decipher.setAAD(additionalData(context)).setAuthTag(tag);
    return decipher.update(ciphertext, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function additionalData({ merchantId, purpose, id = '' }: SecretContext): Buffer {
  return Buffer.from([merchantId, purpose, id].join(':'), 'utf8');
}
