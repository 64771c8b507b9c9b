import type { FieldError, FieldErrorParameters, Limit, LimitParameters } from '@rewardhook/contract';
import type { RejectionParameters, RejectionReason } from '../http/rejections.ts';
import type { ConsoleErrorCode } from './error-codes.ts';

export type { RejectionParameters };

/** Every code in an error answer for which a page needs a text, with the parameters of that text. */
export type ReasonParameters = RejectionParameters & LimitParameters & FieldErrorParameters;

export type ReasonCode = keyof ReasonParameters;

/** The body of every error. */
export interface ErrorResponse {
  code: ConsoleErrorCode;
  /** The reason in English. Pages write their own text from `reason`. */
  message: string;
  reason: RejectionReason | Limit;
  /** The error of each bad field in English, by its path. */
  params?: Record<string, string>;
  /** The same errors as codes. */
  fields?: Record<string, FieldError | Limit>;
  /** Of `version_conflict`: the fields in conflict as they are stored, or the newest version of the program. */
  current?: unknown;
  /** Of `version_conflict`. */
  changed?: string[];
  request_id: string;
}
