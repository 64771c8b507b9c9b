import type { FieldError, FieldErrorArguments, FieldErrorCode, Limit } from '@rewardhook/contract';
import { describeLimit, fieldError } from '@rewardhook/contract';
import type { ConsoleErrorCode } from '../api-types.ts';
import { describeRejection, errorCodeOf } from './rejections.ts';
import type { RejectionCode, RejectionParameters, RejectionReason } from './rejections.ts';

/** The errors of the fields of a request, by their path. */
export type BadFields = Record<string, FieldError | Limit>;

interface Details {
  fields?: BadFields;
  /** Seconds after which another try makes sense. */
  retryAfter?: number;
  /** Of `version_conflict`: what is stored now, and the fields in which it differs from what the caller read. */
  conflict?: { current: unknown; changed: string[] };
  /** Of `rate_limited`: the name of the limit. */
  limit?: string;
  cause?: unknown;
}

/** A request that is refused, with the reason as a code and its parameters. */
export class ConsoleError extends Error {
  readonly code: ConsoleErrorCode;
  readonly reason: RejectionReason | Limit;
  readonly fields: Details['fields'];
  readonly retryAfter: Details['retryAfter'];
  readonly conflict: Details['conflict'];
  readonly limit: Details['limit'];

  constructor(
    code: ConsoleErrorCode,
    reason: RejectionReason | Limit,
    message: string,
    details: Details = {},
  ) {
    super(message, { cause: details.cause });
    this.code = code;
    this.reason = reason;
    this.fields = details.fields;
    this.retryAfter = details.retryAfter;
    this.conflict = details.conflict;
    this.limit = details.limit;
  }
}

/** Makes the error for a reason; the type checks that the parameters belong to the code. */
export function refuse<Code extends RejectionCode>(
  code: Code,
  ...[parameters, details]: object extends RejectionParameters[Code]
    ? [parameters?: RejectionParameters[Code], details?: Details]
    : [parameters: RejectionParameters[Code], details?: Details]
): ConsoleError {
  const reason = { code, parameters: parameters ?? {} } as RejectionReason;
  return new ConsoleError(errorCodeOf(reason), reason, describeRejection(reason), details);
}

/** 400: fields are wrong. */
export function invalidRequest(fields: BadFields): ConsoleError {
  return refuse('invalid_request', { fields: Object.keys(fields).length }, { fields });
}

/** 400: one field is wrong. */
export function invalidField<Code extends FieldErrorCode>(
  path: string,
  code: Code,
  ...parameters: FieldErrorArguments<Code>
): ConsoleError {
  return invalidRequest({ [path]: fieldError(code, ...parameters) });
}

/** 404, the same for what does not exist and for what belongs to another merchant. */
export function notFound(): ConsoleError {
  return refuse('not_found');
}

/** 429. `limit` is the name of the limit, for the metric. */
export function rateLimited(milliseconds: number, limit: string): ConsoleError {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1_000));
  return refuse('rate_limited', { seconds }, { retryAfter: seconds, limit });
}

/** 409, or 429 where time ends it: a limit is reached. */
export function limitReached(limit: Limit, retryAfter: number | undefined): ConsoleError {
  const code = retryAfter === undefined ? 'conflict' : 'rate_limited';
  return new ConsoleError(
    code,
    limit,
    describeLimit(limit),
    retryAfter === undefined ? {} : { retryAfter, limit: limit.code },
  );
}

/** 409: another user has changed it since the caller read it. */
export function versionConflict(current: unknown, changed: string[]): ConsoleError {
  return refuse('version_conflict', {}, { conflict: { current, changed } });
}
