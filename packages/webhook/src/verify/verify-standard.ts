import { signingSecretPrefix } from '../signing-secret.ts';
import { standardSignature } from '../standard-signature.ts';
import { equalInConstantTime } from './verify-signature.ts';

/** What a `webhook-signature` is checked against. */
export type StandardVerification = {
  signatures: string;
  id: string;
  timestampSeconds: number;
  body: Uint8Array;
  secrets: readonly string[];
};

/** A rotation has two; who sends more wants our time. */
const maxSignatures = 16;

/**
 * True when one of the space-separated signatures is right under one of the secrets (Standard Webhooks,
 * "Verifying"). A secret whose decoded part is empty signs nothing: everybody would know that key.
 */
export function verifyStandard(input: StandardVerification): boolean {
  const { signatures, id, timestampSeconds, body, secrets } = input;
  const given = signatures.split(' ', maxSignatures);
  let right = false;
  for (const secret of secrets.filter(hasKey)) {
    const expected = standardSignature({ id, timestampSeconds, body, secrets: [secret] });
    for (const one of given) right = equalInConstantTime(one, expected) || right;
  }
  return right;
}

function hasKey(secret: string): boolean {
  const encoded = secret.startsWith(signingSecretPrefix) ? secret.slice(signingSecretPrefix.length) : secret;
  return Buffer.from(encoded, 'base64').length > 0;
}
