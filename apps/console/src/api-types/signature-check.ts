/** POST /signature-check: what a receiver got, pasted as text. At most 16 KiB of headers and 256 KiB of body. */
export interface SignatureCheckRequest {
  /** Lines of `name: value`, or only the value of X-Service-Signature. */
  headers: string;
  body: string;
}

/** What is wrong, or `ok`. */
export type SignatureOutcome =
  | 'ok'
  /** The header is not there. */
  | 'missing'
  /** It does not have the form it should have. */
  | 'malformed'
  /** It fits once line breaks or spaces around the body are put right: `fix` says how. */
  | 'trailing_newline'
  /** It fits the JSON written without spaces, or in another order: it was parsed and written again. */
  | 're_serialized'
  /** It fits with an expired key. */
  | 'expired_key'
  /** It is right, and its timestamp more than five minutes old or ahead. */
  | 'too_old'
  /** None of the merchant's keys made it for this body: another key, or other bytes. */
  | 'no_match';

export interface SignatureResult {
  header: 'X-Service-Signature' | 'webhook-signature';
  matches: boolean;
  /** The key that made it; null when none did. */
  key_id: string | null;
  why: SignatureOutcome;
  /** A sentence on what to do; empty when all is well. */
  fix: string;
}

export interface SignatureCheckResponse {
  /** Whether at least one header is right and none present is wrong. */
  ok: boolean;
  results: SignatureResult[];
  /** Whether the body is one of the merchant's events, byte by byte, and which. */
  event: { id: string; type: string } | null;
}
