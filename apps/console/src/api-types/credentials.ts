import type { ApiKeyKind } from '@rewardhook/contract';
import type { DateTime } from './response.ts';

export interface ApiKeyView {
  id: string;
  kind: ApiKeyKind;
  name: string;
  /** `svc_sk_` or `svc_pk_`. */
  prefix: string;
  last_four: string;
  created_at: DateTime;
  /** Accurate to a minute; null: never. */
  last_used_at: DateTime | null;
  revoked_at: DateTime | null;
  /** Null for a key from before this was stored. */
  created_by: { user_id: string; email: string } | 'operator' | null;
  /** The complete key; only of public keys, and not of those from before it was stored. */
  value?: string;
}

export interface SigningKeyView {
  id: string;
  created_at: DateTime;
  /** The time from which it signs X-Service-Signature. */
  promoted_at: DateTime;
  expires_at: DateTime | null;
  /** Whether it signs X-Service-Signature now. */
  active: boolean;
}

export interface LinkingView {
  /** Origins that browsers may call boot from; empty allows all. */
  allowed_origins: string[];
  /** The target of share links; null: there are no share links. */
  landing_url: string | null;
  require_user_hash: boolean;
  attribution_days: number;
}

/** What a merchant's programs sign in and sign with, without secrets. */
export interface CredentialsView {
  api_keys: ApiKeyView[];
  signing_keys: SigningKeyView[];
  /** Identity secrets that were replaced and that boot still accepts, newest first. */
  former_identity_secrets: { id: string; replaced_at: DateTime; expires_at: DateTime }[];
  linking: LinkingView;
  origins: OriginsView;
}

/** The verified origins of the merchant, which its landing URL may lead to. */
export interface OriginsView {
  verified: { origin: string; proof: 'file' | 'operator'; verified_at: DateTime }[];
  /** The path of the text file that verifies another origin, and the line that it must contain. */
  proof_path: string;
  proof_line: string;
}

export interface NewApiKeyRequest {
  kind: ApiKeyKind;
  name: string;
}

export interface NewApiKeyResponse {
  id: string;
  /** The complete key, returned only here. */
  value: string;
}

export interface RevealedSecret {
  secret: string;
}

export interface ReplaceIdentitySecretRequest {
  /** How long boot accepts the former secret too: 0 to 168. */
  overlap_hours: number;
}

export interface ReplacedIdentitySecret {
  /** The new secret. It counts at once. */
  secret: string;
  /** Until when the former one is accepted. */
  former_expire_at: DateTime;
}

export interface ChangeLinkingRequest extends LinkingView {
  /** The fields as the caller has read them. A field that is equal to its `base` keeps its stored value. */
  base?: LinkingView;
}
