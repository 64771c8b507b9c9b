import type { DateTime } from './response.ts';

export interface ApiKeyView {
  id: string;
  kind: 'secret' | 'public';
  name: string;
  /** `svc_sk_` or `svc_pk_`. */
  prefix: string;
  last_four: string;
  created_at: DateTime;
  /** Within a minute; null: never. */
  last_used_at: DateTime | null;
  revoked_at: DateTime | null;
  /** Null for a key from before this was recorded. */
  created_by: { user_id: string; email: string } | 'operator' | null;
  /** The whole key, of a public one only; missing for those from before it was kept. */
  value?: string;
}

export interface SigningKeyView {
  id: string;
  created_at: DateTime;
  /** From then on it makes X-Service-Signature. */
  promoted_at: DateTime;
  expires_at: DateTime | null;
  /** Whether it makes X-Service-Signature now. */
  active: boolean;
}

export interface LinkingView {
  /** Origins that browsers may call boot from; empty allows all. */
  allowed_origins: string[];
  /** Where share links lead to; null: there are none. */
  landing_url: string | null;
  require_user_hash: boolean;
  attribution_days: number;
}

/** GET /credentials. Nothing secret is in it. */
export interface CredentialsView {
  api_keys: ApiKeyView[];
  signing_keys: SigningKeyView[];
  linking: LinkingView;
  origins: OriginsView;
}

/** Origins that the merchant has proved to control: its landing URL may lead to these. */
export interface OriginsView {
  verified: { origin: string; proof: 'file' | 'operator'; verified_at: DateTime }[];
  /** Path of the text file that proves another one, and a line that it must have. */
  proof_path: string;
  proof_line: string;
}

/** POST /credentials/origins (developer) → `OriginsView`; 400 with `params.origin` when the proof is not there. */
export interface VerifyOriginRequest {
  origin: string;
}

/** POST /credentials/api-keys (developer) → 201 `NewApiKeyResponse`. DELETE /credentials/api-keys/:id → 204 (revoked). */
export interface NewApiKeyRequest {
  kind: 'secret' | 'public';
  name: string;
}

export interface NewApiKeyResponse {
  id: string;
  /** The whole key, shown this once. */
  value: string;
}

/** POST /credentials/signing-keys/:id/reveal and POST /credentials/identity-secret/reveal (developer). */
export interface RevealedSecret {
  secret: string;
}

/** PUT /credentials/linking (developer) → `LinkingView`. */
export interface ChangeLinkingRequest extends LinkingView {
  /** The fields as the caller saw them. What is wanted as it was is left as it is by now. */
  base?: LinkingView;
}
