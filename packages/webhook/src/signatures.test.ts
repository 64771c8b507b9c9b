import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { verifySignature } from '@rewardhook/verify';
import { generateSigningSecret, signBody, standardSignature } from './signatures.ts';

const bytes = fc.uint8Array({ maxLength: 200 });
const anyText = fc.string({ minLength: 1 });
const anySecret = fc.constant(undefined).map(generateSigningSecret);
const usual = generateSigningSecret();

describe('signBody', () => {
  it('returns the lower-case hex HMAC-SHA256 of the raw bytes, keyed with the complete secret', () => {
    fc.assert(
      fc.property(anyText, bytes, (secret, body) => {
        const hex = createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex');
        expect(signBody(secret, body)).toBe(`sha256=${hex}`);
      }),
      { numRuns: propertyCases(100) },
    );
  });

  it('matches RFC 4231, test case 2', () => {
    expect(signBody('Jefe', Buffer.from('what do ya want for nothing?'))).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });
});

describe('verifySignature', () => {
  it('accepts the result of signBody', () => {
    fc.assert(
      fc.property(anySecret, bytes, (secret, body) => {
        expect(verifySignature(secret, body, signBody(secret, body))).toBe(true);
      }),
      { numRuns: propertyCases(100) },
    );
  });

  it('refuses another body, another secret and a changed header', () => {
    fc.assert(
      fc.property(anySecret, bytes, fc.nat(), (secret, body, at) => {
        const header = signBody(secret, body);
        const position = at % header.length;
        const changed = header[position] === '0' ? '1' : '0';
        const tampered = header.slice(0, position) + changed + header.slice(position + 1);
        expect(verifySignature(secret, Buffer.concat([body, Buffer.of(0)]), header)).toBe(false);
        expect(verifySignature(generateSigningSecret(), body, header)).toBe(false);
        expect(verifySignature(secret, body, tampered)).toBe(false);
      }),
      { numRuns: propertyCases(100) },
    );
  });

  it('refuses anything that is not a signature, without throwing', () => {
    const body = Buffer.from('{}');
    const upper = signBody(usual, body).toUpperCase();
    for (const header of [undefined, '', 'sha256=', upper, 'ü'.repeat(71), 42 as unknown as string]) {
      expect(verifySignature(usual, body, header)).toBe(false);
    }
    expect(verifySignature(undefined as unknown as string, body, signBody('s', body))).toBe(false);
    fc.assert(
      fc.property(fc.string(), (header) => !verifySignature(usual, body, header)),
      { numRuns: propertyCases(100) },
    );
  });
});

describe('An invalid signing secret', () => {
  const body = Buffer.from('{}');
  it.each([
    ['its prefix alone', 'whsec_'],
    ['nothing', ''],
    ['a key of 23 bytes', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
    ['no prefix', usual.slice(6)],
    ['a line break at the end', `${usual}\n`],
    ['the letters of base64url', `whsec_${'-_'.repeat(22)}`],
    ['words', 'whsec_change me, please, before you go live'],
    ['its last character missing', usual.slice(0, -1)],
    ['no text', undefined],
  ])('neither signs nor verifies: %s', (_what, bad) => {
    const text = bad as string;
    expect(verifySignature(text, body, signBody(String(bad), body))).toBe(false);
    const signed = { id: 'id', timestampSeconds: 1, body, secrets: [text] };
    expect(() => standardSignature(signed)).toThrow(
      /^the signing secret (must be whsec_ and base64|is missing: )/,
    );
  });
});

describe('generateSigningSecret', () => {
  it('returns whsec_ and 32 random bytes in base64, different each time', () => {
    const made = Array.from({ length: 100 }, generateSigningSecret);
    expect(new Set(made).size).toBe(100);
    for (const secret of made) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
  });
});

describe('standardSignature', () => {
  it('matches the published test vector', () => {
    expect(
      standardSignature({
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestampSeconds: 1614265330,
        body: Buffer.from('{"test": 2432232314}'),
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('returns one signature for each secret, in order', () => {
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
