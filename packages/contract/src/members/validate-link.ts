import { compileValidation, type ValidationResult } from './validate-fields.ts';

/** The body of `POST /api/open/members/link/`: the referrer brought the referee. */
export interface LinkRequest {
  referrer_member_id: string;
  referee_member_id: string;
}

const validate = compileValidation<LinkRequest>({
  referrer_member_id: { kind: 'text', required: true, minLength: 1, maxLength: 255 },
  referee_member_id: { kind: 'text', required: true, minLength: 1, maxLength: 255 },
});

/** Judges the parsed body of a link call. Whether the two may be linked is not judged here. */
export function validateLink(body: unknown): ValidationResult<LinkRequest> {
  return validate(body);
}
