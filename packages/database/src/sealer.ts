import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Keeps secrets unreadable at rest. */
export interface Sealer {
  seal(secret: string): string;
  /** @throws when the text was sealed with another key or was changed */
  open(sealed: string): string;
}

const form = 'v1';

/** AES-256-GCM with a key of 32 bytes in base64. Form: `v1.<iv>.<tag>.<ciphertext>`, each base64url. */
export function openSealer(secretsKey: string): Sealer {
  const key = Buffer.from(secretsKey, 'base64');
  if (key.length !== 32) throw new Error('SECRETS_KEY must be 32 bytes in base64');
  return {
    seal(secret) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [form, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join('.');
    },
    open(sealed) {
      const [version, iv, tag, text] = sealed.split('.');
      if (version !== form || !iv || !tag || text === undefined) throw new Error('not a sealed secret');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), {
        authTagLength: 16,
      });
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}
