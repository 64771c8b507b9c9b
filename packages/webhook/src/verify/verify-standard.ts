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
 * "Verifying").
 *
 * @throws TypeError for a secret without a usable key
 */
export function verifyStandard(input: StandardVerification): boolean {
  const { signatures, id, timestampSeconds, body, secrets } = input;
  const given = signatures.split(' ', maxSignatures);
  let right = false;
  for (const secret of secrets) {
    const expected = standardSignature({ id, timestampSeconds, body, secrets: [secret] });
    for (const one of given) right = equalInConstantTime(one, expected) || right;
  }
  return right;
}
