import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** The row that a secret belongs to: it is sealed for this row and opens for no other. */
export interface SecretContext {
  merchantId: string;
  purpose: 'signing-key' | 'identity-secret' | 'feed-cursor';
  /** The id of the row, when a merchant has several secrets of the purpose. */
  id?: string;
}

/** Encrypts secrets at rest. */
export interface Sealer {
  seal(secret: string, context: SecretContext): string;
  /** @throws SealError when the text was sealed with another key or for another row, or was changed */
  open(sealed: string, context: SecretContext): string;
  /** A fingerprint of each key, the one that seals first: 48 bits in hexadecimal, which do not help to find the key. */
  fingerprints: string[];
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

/** An earlier version, without context: it is opened, but no longer written. */
const versionWithoutContext = 'v1';
const currentVersion = 'v2';

/**
 * Opens a sealer: AES-256-GCM with a key of 32 bytes in base64. A sealed text is `v2.<iv>.<tag>.<ciphertext>`, each in
 * base64url. The context is authenticated as additional data, so that write access to the database does not suffice to
 * give one merchant the secret of another.
 */
export function openSealer(secretsKey: string): Sealer {
  const key = Buffer.from(secretsKey, 'base64');
  if (key.length !== 32) throw new Error('SECRETS_KEY must be 32 bytes in base64');
  return {
    fingerprints: [createHmac('sha256', key).update('fingerprint of SECRETS_KEY').digest('hex').slice(0, 12)],
    seal(secret, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(additionalData(context));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [
        currentVersion,
        ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url')),
      ].join('.');
    },
    open(sealed, context) {
      const [version, iv, tag, text] = sealed.split('.');
      if (
        (version !== currentVersion && version !== versionWithoutContext) ||
        !iv ||
        !tag ||
        text === undefined
      )
        throw new SealError('This is not a sealed secret.');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), {
          authTagLength: 16,
        });
        if (version === currentVersion) decipher.setAAD(additionalData(context));
        decipher.setAuthTag(Buffer.from(tag, 'base64url'));
        return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new SealError(
          'A stored secret does not open: SECRETS_KEY is not the one that it was sealed with, or the stored text was ' +
            'changed or belongs to another merchant or row.',
          { cause },
        );
      }
    },
  };
}

function additionalData({ merchantId, purpose, id = '' }: SecretContext): Buffer {
  return Buffer.from([merchantId, purpose, id].join(':'), 'utf8');
}
