/** The pasted headers (at most 16 KiB) and body (at most 256 KiB) of a received request. */
export interface SignatureCheckRequest {
  /** Lines of `name: value`, or only the value of X-Service-Signature. */
  headers: string;
  body: string;
}

/** The result for one signature header. */
export type SignatureOutcome =
  | 'ok'
  /** The header is missing. */
  | 'missing'
  /** The header has another format. */
  | 'malformed'
  /** It matches after line breaks or spaces around the body are corrected. */
  | 'trailing_newline'
  /** It matches the JSON without spaces or in another order: the body was parsed and serialized again. */
  | 're_serialized'
  /** It matches with an expired key. */
  | 'expired_key'
  /** It matches, but its timestamp differs by more than five minutes. */
  | 'too_old'
  /** It matches none of the merchant's keys: another key, or other bytes. */
  | 'no_match';

export interface SignatureResult {
  header: 'X-Service-Signature' | 'webhook-signature';
  matches: boolean;
  /** The key that signed it; null if none did. */
  key_id: string | null;
  why: SignatureOutcome;
  /** What to do, in English; empty for `ok`. Pages write their own text from `why`. */
  fix: string;
}

export interface SignatureCheckResponse {
  /** Whether at least one header is valid and none that is present is invalid. */
  ok: boolean;
  results: SignatureResult[];
  /** The event of the merchant that the body is identical to; null if there is none. */
  event: { id: string; type: string } | null;
}
