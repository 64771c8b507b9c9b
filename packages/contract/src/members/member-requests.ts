import { fieldError } from '../fields/field-errors.ts';
import type { FieldErrors, FieldWarnings } from '../fields/field-errors.ts';
import { boolean, hex, text } from '../fields/request-fields.ts';
import { compileFields } from '../fields/validate-fields.ts';
import type { Fields } from '../fields/validate-fields.ts';
import { RequestErrors } from '../fields/request-errors.ts';
import { RequestWarnings } from '../fields/request-warnings.ts';
import { isJsonObject } from '../json/nesting.ts';
import { refusePlaceholder } from './placeholder-id.ts';

/**
 * The canonical body with warnings of unknown fields by name, or the error of each invalid field by its name (`body` for
 * the body itself).
 */
export type ValidationResult<T> =
  { kind: 'valid'; value: T; warnings?: FieldWarnings } | { kind: 'invalid'; errors: FieldErrors };

/** The body of `POST /api/open/members/boot/`, which the browser SDK sends. */
export interface BootRequest {
  /** The merchant's identifier of the member, the same as `member_id` of orders. */
  user_id: string;
  /** The code of the member's referrer, or the share link that they pasted; at most 500 characters. */
  referral_code?: string;
  /**
   * The click on the share link that the member followed, from `rh_click` of the landing URL; at most 64 characters.
   */
  click_id?: string;
  /** HMAC-SHA256 of the user id with the identity secret as the key: 64 hexadecimal characters of either case. */
  user_hash?: string;
}

/** The body of `POST /api/open/members/link/`: the referee, and the referrer by their id or by their code. `dry_run` links nothing. */
export type LinkRequest = { referee_member_id: string; dry_run?: boolean } & (
  | { referrer_member_id: string; referral_code?: never }
  | { referral_code: string; referrer_member_id?: never }
);

/** Characters of a `referral_code`: people paste whole links, with the parameters of a campaign. */
const longestCode = 500;

/** The id of a member who is linked. */
const memberId = () => text(1, 255).custom(refusePlaceholder);

/** The fields of a boot request. */
export const bootFields: Fields<BootRequest> = {
  user_id: memberId().required(),
  referral_code: text(1, longestCode),
  click_id: text(1, 64),
  user_hash: hex(64),
};

/** The fields of a link request; one of the first two is given. */
export const linkFields: Fields<{
  referrer_member_id?: string;
  referral_code?: string;
  referee_member_id: string;
  dry_run?: boolean;
}> = {
  referrer_member_id: memberId(),
  referral_code: text(1, longestCode),
  referee_member_id: memberId().required(),
  dry_run: boolean(),
};

const validateBootFields = compileValidation(bootFields);
const validateLinkFields = compileValidation(linkFields);

/** Validates the parsed body of a boot request. */
export function validateBoot(body: unknown): ValidationResult<BootRequest> {
  return validateBootFields(body, false);
}

/**
 * Validates the parsed body of a link request; in strict mode unknown fields are errors. Whether the two members may be
 * linked is not checked here.
 */
export function validateLink(body: unknown, { strict = false } = {}): ValidationResult<LinkRequest> {
  const result = validateLinkFields(body, strict);
  if (!isJsonObject(body)) return result as ValidationResult<LinkRequest>;
  // Also beside other errors, so that one answer names all of them.
  const isGiven = (name: string) => body[name] !== undefined;
  const given = ['referrer_member_id', 'referral_code'].filter(isGiven);
  if (given.length === 1) return result as ValidationResult<LinkRequest>;
  const error =
    given.length === 0
      ? fieldError('required_unless', { field: 'referral_code' })
      : fieldError('not_together_with', { field: 'referral_code' });
  const errors = result.kind === 'invalid' ? result.errors : {};
  return { kind: 'invalid', errors: { referrer_member_id: error, ...errors } };
}

/** Compiles the validation of a small body from the table of its fields. Absent optional fields stay absent. */
function compileValidation<T>(fields: Fields<T>): (body: unknown, strict: boolean) => ValidationResult<T> {
  const validate = compileFields(fields);
  return (body, strict) => {
    if (!isJsonObject(body)) return { kind: 'invalid', errors: { body: fieldError('not_an_object') } };
    const result = validate(body);
    const errors = new RequestErrors();
    for (const [name, error] of Object.entries(result.ok ? {} : result.errors)) errors.add(name, error);
    const warnings = new RequestWarnings(strict ? errors : undefined);
    warnings.addUnknown(body, fields, '');
    if (!result.ok || errors.any) return { kind: 'invalid', errors: errors.byPath };
    const present = Object.entries(result.value as object).filter(([, value]) => value !== undefined);
    const { byPath: found } = warnings;
    return { kind: 'valid', value: Object.fromEntries(present) as T, ...(found && { warnings: found }) };
  };
}
