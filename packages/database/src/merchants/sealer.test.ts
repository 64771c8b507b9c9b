import { createCipheriv, randomBytes } from 'node:crypto';
import { identitySecretContext, openSealer, SealError, signingKeyContext } from './sealer.ts';

const key = () => randomBytes(32).toString('base64');
const place = signingKeyContext('mer_a', 'sgk_1');

describe('a sealer', () => {
  it('opens what it sealed, and seals the same secret differently each time', () => {
    const sealer = openSealer(key());
    const [one, two] = [sealer.seal('whsec_x', place), sealer.seal('whsec_x', place)];
    expect(one).not.toContain('whsec_x');
    expect(one).not.toBe(two);
    expect(sealer.open(one, place)).toBe('whsec_x');
  });

  it('refuses what another key sealed and what was changed', () => {
    const sealer = openSealer(key());
    const sealed = sealer.seal('whsec_x', place);
    expect(() => openSealer(key()).open(sealed, place)).toThrow(SealError);
    const [form, iv, tag, text] = sealed.split('.') as [string, string, string, string];
    const changed = Buffer.from(text, 'base64url');
    changed[0] = (changed[0] as number) ^ 1;
    for (const wrong of [
      [form, iv, tag, changed.toString('base64url')].join('.'),
      [form, iv, tag.slice(0, 6), text].join('.'),
      // The form that is bound to no place is another text.
      ['v1', iv, tag, text].join('.'),
    ])
      expect(() => sealer.open(wrong, place)).toThrow(SealError);
    expect(() => sealer.open('whsec_x', place)).toThrow('not a sealed secret');
  });

  it.each([
    ['another merchant', signingKeyContext('mer_b', 'sgk_1')],
    ['another row', signingKeyContext('mer_a', 'sgk_2')],
    ['another purpose', identitySecretContext('mer_a')],
  ])('does not open what was moved to %s', (_where, moved) => {
    const sealer = openSealer(key());
    expect(() => sealer.open(sealer.seal('whsec_x', place), moved)).toThrow(SealError);
  });

  it('opens what was sealed before texts were bound to a place', () => {
    const secretsKey = key();
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(secretsKey, 'base64'), iv);
    const text = Buffer.concat([cipher.update('whsec_old', 'utf8'), cipher.final()]);
    const old = ['v1', ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join(
      '.',
    );
    expect(openSealer(secretsKey).open(old, place)).toBe('whsec_old');
  });

  it('refuses a key of another length', () => {
    expect(() => openSealer(randomBytes(16).toString('base64'))).toThrow('32 bytes');
  });
});
