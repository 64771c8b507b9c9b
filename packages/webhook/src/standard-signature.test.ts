import { createHmac } from 'node:crypto';
import { generateSigningSecret } from './signing-secret.ts';
import { standardSignature } from './standard-signature.ts';

describe('standardSignature', () => {
  it('agrees with the published test vector', () => {
    expect(
      standardSignature({
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestampSeconds: 1614265330,
        body: Buffer.from('{"test": 2432232314}'),
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('gives one signature for each secret, in order', () => {
    const secrets = [generateSigningSecret(), generateSigningSecret()];
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
    const signed = Buffer.concat([Buffer.from('id.17.'), body]);
    const expected = secrets.map((secret) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    });
    expect(standardSignature({ id: 'id', timestampSeconds: 17, body, secrets })).toBe(expected.join(' '));
  });
});
