import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Where a secret is kept. It opens there and nowhere else. */
export interface SecretContext {
  merchantId: string;
  purpose: 'signing-key' | 'identity-secret' | 'feed-cursor';
  /** Of the row, where a merchant has several of the purpose. */
  id?: string;
}

/** Keeps secrets unreadable at rest. */
export interface Sealer {
  seal(secret: string, place: SecretContext): string;
  /** @throws SealError when the text was sealed with another key or for another place, or was changed */
  open(sealed: string, place: SecretContext): string;
}

/** A sealed text that does not open. The message says what may be wrong, and nothing of the text. */
export class SealError extends Error {}

/** Where a signing key's secret is kept. */
export const signingKeyContext = (merchantId: string, id: string): SecretContext => ({
  merchantId,
  purpose: 'signing-key',
  id,
});

/** Where a merchant's identity secret is kept. */
export const identitySecretContext = (merchantId: string): SecretContext => ({
  merchantId,
  purpose: 'identity-secret',
});

/** Opened, and not written any more: bound to no place. */
const formWithoutPlace = 'v1';
const form = 'v2';

/**
 * AES-256-GCM with a key of 32 bytes in base64. Form: `v2.<iv>.<tag>.<ciphertext>`, each base64url, with the place as
 * additional data: who can write to the database cannot give one merchant the secret of another.
 */
export function openSealer(secretsKey: string): Sealer {
  const key = Buffer.from(secretsKey, 'base64');
  if (key.length !== 32) throw new Error('SECRETS_KEY must be 32 bytes in base64');
  return {
    seal(secret, place) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(additionalData(place));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [form, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join('.');
    },
    open(sealed, place) {
      const [version, iv, tag, text] = sealed.split('.');
      if ((version !== form && version !== formWithoutPlace) || !iv || !tag || text === undefined)
        throw new SealError('This is not a sealed secret.');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), {
          authTagLength: 16,
        });
        if (version === form) decipher.setAAD(additionalData(place));
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
