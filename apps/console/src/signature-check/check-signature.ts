import { standardSignature, verifySignature } from '@rewardhook/webhook';
import type { SignatureResult } from '../api-types.ts';
import { bodyVariants } from './body-variants.ts';

/** A key that may have signed. */
export interface SigningKey {
  id: string;
  secret: string;
  expired: boolean;
}

/** What a receiver got, and what it is held against. */
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

/** Difference of clocks and age that receivers usually allow, in seconds (Standard Webhooks). */
const toleranceSeconds = 300;

type Verdict = Pick<SignatureResult, 'matches' | 'key_id' | 'why' | 'fix'>;

const verdict = (why: SignatureResult['why'], fix: string, key_id: string | null = null): Verdict => ({
  matches: why === 'ok' || why === 'expired_key' || why === 'too_old',
  key_id,
  why,
  fix,
});

/**
 * Says for each signature header which key made it, or what differs. That webhook-signature is missing is said only where
 * other headers were pasted: then the receiver probably does not get it either.
 */
export function checkSignature(received: Received): SignatureResult[] {
  const results: SignatureResult[] = [{ header: 'X-Service-Signature', ...checkServiceSignature(received) }];
  if (received.headers.has('webhook-signature') || received.headers.size > 1)
    results.push({ header: 'webhook-signature', ...checkStandardSignature(received) });
  return results;
}

function checkServiceSignature(received: Received): Verdict {
  const header = received.headers.get('x-service-signature');
  if (header === undefined)
    return verdict('missing', 'There is no X-Service-Signature among the headers. Copy it with its value.');
  if (!/^sha256=[\da-f]{64}$/.test(header))
    return verdict('malformed', 'It must be sha256= and 64 hexadecimal digits in lower case.');
  return search(received, (secret, body) => verifySignature(secret, Buffer.from(body), header));
}

function checkStandardSignature(received: Received): Verdict {
  const { headers, nowSeconds } = received;
  const signatures = headers.get('webhook-signature');
  if (signatures === undefined)
    return verdict(
      'missing',
      'Copy it with webhook-id and webhook-timestamp. If your server does not get them, a proxy removes them: let webhook-* headers through, or a recorded request can be sent to you again.',
    );
  const id = headers.get('webhook-id');
  const timestamp = headers.get('webhook-timestamp');
  if (id === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp))
    return verdict('malformed', 'It covers webhook-id and webhook-timestamp too: copy them as well.');
  const given = signatures.split(' ');
  if (!given.every((one) => /^v1,[\w+/]+=*$/.test(one)))
    return verdict('malformed', 'It must be v1, and base64, once or more, separated by spaces.');
  const timestampSeconds = Number(timestamp);
  const found = search(received, (secret, body) =>
    given.includes(standardSignature({ id, timestampSeconds, body: Buffer.from(body), secrets: [secret] })),
  );
  const age = nowSeconds - timestampSeconds;
  if (found.why !== 'ok' || Math.abs(age) <= toleranceSeconds) return found;
  const apart = age > 0 ? `${age} s old` : `${-age} s ahead of our clock`;
  return verdict(
    'too_old',
    `It is right, but ${apart}: receivers refuse it beyond ${toleranceSeconds} s.`,
    found.key_id,
  );
}

/** Tries all keys on the body as given, then on what it may have been. */
function search({ body, stored, keys }: Received, fits: (secret: string, body: string) => boolean): Verdict {
  for (const variant of bodyVariants(body, stored)) {
    const key = keys.find(({ secret }) => fits(secret, variant.body));
    if (!key) continue;
    if (variant.why === 'ok' && key.expired)
      return verdict('expired_key', 'It was made with a key that has expired since.', key.id);
    return verdict(variant.why, variant.fix, key.id);
  }
  return verdict(
    'no_match',
    'None of your signing keys made it for this body: check that headers and body belong to one request and that nothing in between changed it.',
  );
}
