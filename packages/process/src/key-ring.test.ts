import { randomBytes } from 'node:crypto';
import { secretsKeySetting } from './environment.ts';
import { deriveKeys, keyIds, KeyRingError, parseKeyRing } from './key-ring.ts';
import { readSettings } from './read-settings.ts';

const key = () => randomBytes(32).toString('base64');

describe('SECRETS_KEY', () => {
  it('can be one key, whose id is its fingerprint', () => {
    const text = key();
    const [only, ...others] = parseKeyRing(text);
    expect(others).toEqual([]);
    expect(only).toMatchObject({ id: only.fingerprint, named: false, text });
    expect(only.fingerprint).toMatch(/^[\da-f]{12}$/);
    expect(keyIds(text)).toEqual([only.fingerprint]);
  });

  it('can be a ring of keys with ids', () => {
    const [one, two, plain] = [key(), key(), key()];
    const ring = parseKeyRing(`2027-01:${one}, 2026:${two},${plain}`);
    expect(ring.map(({ named, text }) => [named, text])).toEqual([
      [true, one],
      [true, two],
      [false, plain],
    ]);
    expect(keyIds(`2027-01:${one},2026:${two}`)).toEqual([
      expect.stringMatching(/^2027-01 \([\da-f]{12}\)$/),
      expect.stringMatching(/^2026 \(/),
    ]);
  });

  it.each([
    ['a short key', randomBytes(16).toString('base64'), '32 bytes'],
    ['a text', 'not base64 at all', '32 bytes'],
    ['an empty part', `${key()},`, '32 bytes'],
    ['an id with a dot', `a.b:${key()}`, 'an id in SECRETS_KEY'],
    ['an empty id', `:${key()}`, 'an id in SECRETS_KEY'],
    ['two keys with one id', `a:${key()},a:${key()}`, 'two keys with the id a'],
  ])('is refused with %s, without being repeated', (_what, text, message) => {
    expect(() => parseKeyRing(text)).toThrow(KeyRingError);
    const read = () => readSettings(secretsKeySetting, { SECRETS_KEY: text });
    expect(read).toThrow(message);
    expect(read).not.toThrow(text);
  });

  it('gives derived keys of every purpose, that of the first key first', () => {
    const [one, two] = [key(), key()];
    expect(deriveKeys(`b:${two},a:${one}`, 'x')).toEqual([...deriveKeys(two, 'x'), ...deriveKeys(one, 'x')]);
    expect(deriveKeys(one, 'x')).not.toEqual(deriveKeys(one, 'y'));
  });
});
