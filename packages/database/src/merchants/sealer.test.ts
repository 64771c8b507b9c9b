import { createCipheriv, randomBytes } from 'node:crypto';
import { identitySecretContext, openSealer, SealError, signingKeyContext } from './sealer.ts';

const key = () => randomBytes(32).toString('base64');
const context = signingKeyContext('mer_a', 'sgk_1');

describe('A sealer', () => {
  it('opens what it sealed, and seals the same secret differently each time', () => {
    const sealer = openSealer(key());
    const [one, two] = [sealer.seal('whsec_x', context), sealer.seal('whsec_x', context)];
    expect(one).not.toContain('whsec_x');
    expect(one).not.toBe(two);
    expect(sealer.open(one, context)).toBe('whsec_x');
  });

  it('refuses a text that was sealed with another key or was changed', () => {
    const sealer = openSealer(key());
    const sealed = sealer.seal('whsec_x', context);
    expect(() => openSealer(key()).open(sealed, context)).toThrow(SealError);
    const [version, iv, tag, text] = sealed.split('.') as [string, string, string, string];
    const changed = Buffer.from(text, 'base64url');
    changed[0] = (changed[0] as number) ^ 1;
    for (const wrong of [
      [version, iv, tag, changed.toString('base64url')].join('.'),
      [version, iv, tag.slice(0, 6), text].join('.'),
      // Version v1 does not authenticate the context.
      ['v1', iv, tag, text].join('.'),
    ])
      expect(() => sealer.open(wrong, context)).toThrow(SealError);
    expect(() => sealer.open('whsec_x', context)).toThrow('not a sealed secret');
  });

  it.each([
    ['another merchant', signingKeyContext('mer_b', 'sgk_1')],
    ['another row', signingKeyContext('mer_a', 'sgk_2')],
    ['another purpose', identitySecretContext('mer_a')],
  ])('does not open a text that was moved to %s', (_where, moved) => {
    const sealer = openSealer(key());
    expect(() => sealer.open(sealer.seal('whsec_x', context), moved)).toThrow(SealError);
  });

  it('opens a text of version v1, which has no context', () => {
    const secretsKey = key();
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(secretsKey, 'base64'), iv);
    const text = Buffer.concat([cipher.update('whsec_old', 'utf8'), cipher.final()]);
    const old = ['v1', ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join(
      '.',
    );
    expect(openSealer(secretsKey).open(old, context)).toBe('whsec_old');
  });

  it('refuses a key of another length', () => {
    expect(() => openSealer(randomBytes(16).toString('base64'))).toThrow('32 bytes');
  });
});
