import type { FieldError, FieldErrorArguments, FieldErrorCode } from '@rewardhook/contract';

/** What this package finds wrong with a URL or an origin. */
type UrlErrorCode = Exclude<FieldErrorCode & `${'url' | 'origin'}_${string}`, 'origin_unverified'>;

/** Why a URL or an origin may not be used, or is not verified. `packages/contract` has the texts. */
export type UrlError = Extract<FieldError, { code: UrlErrorCode }>;

/** A refusal with its reason. */
export interface UrlRefusal {
  ok: false;
  error: UrlError;
}

/** Makes a refusal; the type checks that the parameters belong to the code. */
export function refuseUrl<Code extends UrlErrorCode>(
  code: Code,
  ...[parameters]: FieldErrorArguments<Code>
): UrlRefusal {
  return { ok: false, error: { code, parameters: parameters ?? {} } as UrlError };
}
