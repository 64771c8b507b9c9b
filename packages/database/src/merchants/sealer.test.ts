import { randomBytes } from 'node:crypto';
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
    const [form, id, iv, tag, text] = sealed.split('.') as [string, string, string, string, string];
    const changed = Buffer.from(text, 'base64url');
    changed[0] = (changed[0] as number) ^ 1;
    for (const wrong of [
      [form, id, iv, tag, changed.toString('base64url')].join('.'),
      [form, id, iv, tag.slice(0, 6), text].join('.'),
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

  it('refuses a key of another length', () => {
    expect(() => openSealer(randomBytes(16).toString('base64'))).toThrow('32 bytes');
  });

  describe('with a ring of keys', () => {
    const [old, next] = [key(), key()];

    it('seals with the first key, and opens what any of them sealed', () => {
      const before = openSealer(old).seal('whsec_x', context);
      const ring = openSealer(`2027:${next},2026:${old}`);
      expect(ring.keyIds).toEqual(['2027', '2026']);
      expect(ring.open(before, context)).toBe('whsec_x');
      expect([ring.keyOf(before, context), ring.isCurrent(before, context)]).toEqual(['2026', false]);
      const after = ring.seal('whsec_x', context);
      expect(after).toMatch(/^v1\.2027\./);
      expect([ring.keyOf(after, context), ring.isCurrent(after, context)]).toEqual(['2027', true]);
      expect(openSealer(`2027:${next}`).open(after, context)).toBe('whsec_x');
      expect(() => openSealer(old).open(after, context)).toThrow(SealError);
      expect(openSealer(old).keyOf(after, context)).toBeUndefined();
    });

    it('opens a text whose key has another id by now', () => {
      const sealed = openSealer(`a:${old}`).seal('whsec_x', context);
      const renamed = openSealer(`a:${next},b:${old}`);
      expect(renamed.open(sealed, context)).toBe('whsec_x');
      expect([renamed.keyOf(sealed, context), renamed.isCurrent(sealed, context)]).toEqual(['b', false]);
    });

    it('binds a text to its row', () => {
      const ring = openSealer(`2027:${next},2026:${old}`);
      const sealed = ring.seal('whsec_x', context);
      expect(() => ring.open(sealed, signingKeyContext('mer_b', 'sgk_1'))).toThrow(SealError);
      expect(() => ring.open('v1.2027', context)).toThrow('not a sealed secret');
    });

    it('of one key without an id seals again what it sealed, once the key has an id', () => {
      const plain = openSealer(old);
      const sealed = plain.seal('whsec_x', context);
      expect(plain.isCurrent(sealed, context)).toBe(true);
      expect(openSealer(`a:${old}`).isCurrent(sealed, context)).toBe(false);
      expect(openSealer(`a:${old}`).open(sealed, context)).toBe('whsec_x');
    });
  });
});
