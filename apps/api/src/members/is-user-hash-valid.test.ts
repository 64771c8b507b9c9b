import { isUserHashValid } from './is-user-hash-valid.ts';

// The example of docs/linking.md. Python's hmac gives the same hash.
const secret = 'ids_example';
const hash = 'fea9940ec0d614d57a84fa057e2ace10136edc2c2d6a8e05de4a6351e92ccc71';

describe('user_hash', () => {
  it('A user_hash is valid for its user and secret, in either letter case', () => {
    expect(isUserHashValid(secret, 'user-42', hash)).toBe(true);
    expect(isUserHashValid(secret, 'user-42', hash.toUpperCase())).toBe(true);
  });

  it.each([
    ['another user', secret, 'user-43', hash],
    ['another secret', 'ids_other', 'user-42', hash],
    ['one digit changed', secret, 'user-42', hash.replace('f', 'e')],
    ['a hash cut short', secret, 'user-42', hash.slice(2)],
    ['no hash', secret, 'user-42', ''],
  ])('A user_hash is invalid for %s', (_what, key, user, given) => {
    expect(isUserHashValid(key, user, given)).toBe(false);
  });
});
