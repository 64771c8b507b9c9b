import { verifySignature } from '@rewardhook/verify';
import { standardSignature } from '@rewardhook/webhook';
import type { SignatureResult } from '../api-types.ts';
import { bodyVariants } from './body-variants.ts';

/** A signing key of the merchant. */
export interface SigningKey {
  id: string;
  secret: string;
  expired: boolean;
}

/** A request that a receiver got, and the data that it is checked against. */
export interface Received {
  /** Names in lower case. */
  headers: Map<string, string>;
  body: string;
  /** Live ones first. */
  keys: SigningKey[];
  /** The text of the event that the body claims to be. */
  stored: string | undefined;
  nowSeconds: number;
}

/** The age, and the clock difference, that receivers usually allow, in seconds (Standard Webhooks). */
const toleranceSeconds = 300;

type Outcome = Pick<SignatureResult, 'matches' | 'key_id' | 'why' | 'fix'>;

const outcome = (why: SignatureResult['why'], fix: string, key_id: string | null = null): Outcome => ({
  matches: why === 'ok' || why === 'expired_key' || why === 'too_old',
  key_id,
  why,
  fix,
});

/**
 * Finds for each signature header the key that signed it, or the reason why none did. A missing webhook-signature is
 * reported only if other headers were pasted: then the receiver probably does not get it.
 */
export function checkSignature(received: Received): SignatureResult[] {
  const results: SignatureResult[] = [{ header: 'X-Service-Signature', ...checkServiceSignature(received) }];
  if (received.headers.has('webhook-signature') || received.headers.size > 1)
    results.push({ header: 'webhook-signature', ...checkStandardSignature(received) });
  return results;
}

function checkServiceSignature(received: Received): Outcome {
  const header = received.headers.get('x-service-signature');
  if (header === undefined)
    return outcome('missing', 'The header X-Service-Signature is missing. Copy it with its value.');
  if (!/^sha256=[\da-f]{64}$/.test(header))
    return outcome('malformed', 'It must be sha256= and 64 hexadecimal digits in lower case.');
  return search(received, (secret, body) => verifySignature(secret, Buffer.from(body), header));
}

function checkStandardSignature(received: Received): Outcome {
  const { headers, nowSeconds } = received;
  const signatures = headers.get('webhook-signature');
  if (signatures === undefined)
    return outcome(
      'missing',
      'Copy it together with webhook-id and webhook-timestamp. If your server does not receive them, a proxy removes ' +
        'them. Forward all webhook-* headers: without them your server cannot detect a repeated request.',
    );
  const id = headers.get('webhook-id');
  const timestamp = headers.get('webhook-timestamp');
  if (id === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return outcome('malformed', 'It also covers webhook-id and webhook-timestamp. Copy them too.');
  const given = signatures.split(' ');
  if (!given.every((one) => /^v1,[\w+/]+=*$/.test(one)))
    return outcome(
      'malformed',
      'It must be one or more values of the form v1,<base64>, separated by spaces.',
    );
  const timestampSeconds = Number(timestamp);
  const found = search(received, (secret, body) =>
    given.includes(standardSignature({ id, timestampSeconds, body: Buffer.from(body), secrets: [secret] })),
  );
  const age = nowSeconds - timestampSeconds;
  if (found.why !== 'ok' || Math.abs(age) <= toleranceSeconds) return found;
  const apart = age > 0 ? `${age} s old` : `${-age} s ahead of our clock`;
  return outcome(
    'too_old',
    `The signature is valid, but ${apart}. Receivers refuse more than ${toleranceSeconds} s.`,
    found.key_id,
  );
}

/** Tries all keys with the given body, then with its variants. */
function search(
  { body, stored, keys }: Received,
  matches: (secret: string, body: string) => boolean,
): Outcome {
  for (const variant of bodyVariants(body, stored)) {
    const key = keys.find(({ secret }) => matches(secret, variant.body));
    if (!key) continue;
    if (variant.why === 'ok' && key.expired)
      return outcome('expired_key', 'The signature was made with a key that has expired.', key.id);
    return outcome(variant.why, variant.fix, key.id);
  }
  return outcome(
    'no_match',
    'None of your signing keys made this signature for this body. Check that headers and body belong to the same request and that the body was not changed.',
  );
}
