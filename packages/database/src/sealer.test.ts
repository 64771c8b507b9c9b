import { randomBytes } from 'node:crypto';
import { openSealer } from './sealer.ts';

const key = () => randomBytes(32).toString('base64');

describe('a sealer', () => {
  it('opens what it sealed, and seals the same secret differently each time', () => {
    const sealer = openSealer(key());
    const [one, two] = [sealer.seal('whsec_x'), sealer.seal('whsec_x')];
    expect(one).not.toContain('whsec_x');
    expect(one).not.toBe(two);
    expect(sealer.open(one)).toBe('whsec_x');
  });

  it('refuses what another key sealed and what was changed', () => {
    const sealer = openSealer(key());
    const sealed = sealer.seal('whsec_x');
    expect(() => openSealer(key()).open(sealed)).toThrow();
    const [form, iv, tag, text] = sealed.split('.') as [string, string, string, string];
    const changed = Buffer.from(text, 'base64url');
    changed[0] = (changed[0] as number) ^ 1;
    expect(() => sealer.open([form, iv, tag, changed.toString('base64url')].join('.'))).toThrow();
    expect(() => sealer.open([form, iv, tag.slice(0, 6), text].join('.'))).toThrow();
    expect(() => sealer.open('whsec_x')).toThrow('not a sealed secret');
  });

  it('refuses a key of another length', () => {
    expect(() => openSealer(randomBytes(16).toString('base64'))).toThrow('32 bytes');
  });
});
