import { compileValidation, type ValidationResult } from './validate-fields.ts';

/** The body of `POST /api/open/members/boot/`, which the client SDK sends. */
export interface BootRequest {
  /** The merchant's identifier of the member, the same as `member_id` of orders. */
  user_id: string;
  /** The code of whoever brought the member; at most 64 characters. */
  referral_code?: string;
  /** The click on a share link that brought the member, from `rh_click` of the landing URL; at most 64 characters. */
  click_id?: string;
  /** HMAC-SHA256 of the user id keyed with the identity secret: 64 hexadecimal characters of either case. */
  user_hash?: string;
}

const validate = compileValidation<BootRequest>({
  user_id: { kind: 'text', required: true, minLength: 1, maxLength: 255 },
  referral_code: { kind: 'text', required: false, minLength: 1, maxLength: 64 },
  click_id: { kind: 'text', required: false, minLength: 1, maxLength: 64 },
  user_hash: { kind: 'hex', required: false, length: 64 },
});

/** Judges the parsed body of a boot call. */
export function validateBoot(body: unknown): ValidationResult<BootRequest> {
  return validate(body);
}
