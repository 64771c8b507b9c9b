/** Why a URL or an origin may not be used, or is not verified. `packages/contract` has the texts. */
export interface UrlErrorParameters {
  url_invalid: object;
  url_not_https: object;
  url_too_long: { limit: number };
  url_characters: object;
  url_credentials: object;
  url_fragment: object;
  url_private_address: object;
  url_private_host: object;
  url_short_host: object;
  url_invalid_host: object;
  url_port: { port: string };
  origin_wildcard: object;
  origin_path: { origin: string };
  origin_proof_unreachable: { path: string; problem: string };
  origin_proof_status: { path: string; status: number };
  origin_proof_content: { path: string };
  origin_proof_missing: { path: string; line: string };
}

export type UrlError = {
  [Code in keyof UrlErrorParameters]: { code: Code; parameters: UrlErrorParameters[Code] };
}[keyof UrlErrorParameters];

/** A refusal with its reason. */
export interface UrlRefusal {
  ok: false;
  error: UrlError;
}

/** Makes a refusal; the type checks that the parameters belong to the code. */
export function refuseUrl<Code extends keyof UrlErrorParameters>(
  code: Code,
  ...[parameters]: object extends UrlErrorParameters[Code] ? [] : [UrlErrorParameters[Code]]
): UrlRefusal {
  return { ok: false, error: { code, parameters: parameters ?? {} } as UrlError };
}
