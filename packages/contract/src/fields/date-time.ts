import { fieldError } from './field-errors.ts';
import type { FieldError, FieldErrorCode } from './field-errors.ts';
import { formatOffset } from './time-zone.ts';
import type { LocalOffset } from './time-zone.ts';

/** Why a text is not a date-time that can be stored: the code of a field error. */
export interface DateTimeProblem {
  readonly problem: Extract<FieldErrorCode, `date_time_${string}`>;
}

const malformed: DateTimeProblem = { problem: 'date_time_format' };
const noSuchTime: DateTimeProblem = { problem: 'date_time_nonexistent' };
const yearOutOfRange: DateTimeProblem = { problem: 'date_time_year' };
const offsetOutOfRange: DateTimeProblem = { problem: 'date_time_offset_range' };
const offsetMissing: DateTimeProblem = { problem: 'date_time_offset_missing' };
const dateOnly: DateTimeProblem = { problem: 'date_time_date_only' };
const blank: DateTimeProblem = { problem: 'date_time_blank' };
const notCalendar: DateTimeProblem = { problem: 'date_time_not_calendar' };
const endOfDay: DateTimeProblem = { problem: 'date_time_end_of_day' };

const LONGEST = '9999-12-31T23:59:59.123456789+15:59'.length;
const END_OF_TIME = Date.UTC(10_000, 0, 1);

/** The extended and the basic form of ISO 8601, each with what may be an offset at its end. */
const extendedForm = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(.*)$/;
const basicForm = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,9}))?)?(.*)$/;
const offsetForm = /^(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/**
 * Parses an ISO 8601 date-time with its offset by the rules of the order fields: it exists in the calendar, and
 * PostgreSQL can store it.
 */
export function parseDateTime(text: string): Date | FieldError {
  const read = readDateTime(text, undefined);
  if (typeof read !== 'string') return fieldError(read.problem);
  return new Date(read);
}

/**
 * Parses like {@link parseDateTime}, with microseconds, which a `Date` cannot hold. The result is in UTC, such as
 * `2026-11-21T01:00:00.123456Z`: these texts compare as their instants do, and PostgreSQL reads them.
 */
export function parseInstant(text: string): string | FieldError {
  const read = readDateTime(text, undefined);
  if (typeof read !== 'string') return fieldError(read.problem);
  const fraction = /\.(\d{1,6})/.exec(read)?.[1] ?? '';
  return `${new Date(read).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z`;
}

/** The instant of a `Date`, in the form of {@link parseInstant}. */
export const instantOf = (at: Date): string => `${at.toISOString().slice(0, 23)}000Z`;

/**
 * Reads ISO 8601 `YYYY-MM-DDThh:mm[:ss[.f]]` or `YYYYMMDDThhmm[ss[.f]]` (f: 1–9 digits, after `.` or `,`) with the offset `Z`,
 * `±hh:mm`, `±hhmm` or `±hh` (at most ±15:59, as in PostgreSQL); `t` and `z` count as `T` and `Z`. The year as written is
 * 1900–9999, and the instant is not after 9999 in UTC.
 *
 * Returns the same in the extended form `YYYY-MM-DDThh:mm[:ss[.f]]±hh:mm`, which PostgreSQL casts to the same instant as
 * timestamptz, with the fraction truncated to the 6 digits that PostgreSQL stores. An absent offset is appended from
 * `localOffset`; without `localOffset` it is a problem.
 */
export function readDateTime(text: string, localOffset: LocalOffset | undefined): string | DateTimeProblem {
  const parts = text.length > LONGEST ? null : (extendedForm.exec(text) ?? basicForm.exec(text));
  if (!parts) return formProblem(text);
  const [, year = '', month = '', day = '', hour = '', minute = '', second, fraction, offsetText = ''] =
    parts;
  const given = offsetText === '' ? undefined : readOffset(offsetText);
  if (typeof given === 'object') return given;

  if (year < '1900') return yearOutOfRange;
  const time = second === undefined ? `${hour}:${minute}` : `${hour}:${minute}:${second}`;
  if (!isDay(+year, +month, +day)) return noSuchTime;
  if (/^24:00(?::00)?$/.test(time)) return endOfDay;
  if (hour > '23' || minute > '59' || (second ?? '0') > '59') return noSuchTime;
  const local = Date.UTC(+year, +month - 1, +day, +hour, +minute, Number(second ?? 0));
  const offset = given ?? localOffset?.(local);
  if (offset === undefined) return offsetMissing;
  if (local - offset * 1_000 >= END_OF_TIME) return yearOutOfRange;

  const storedFraction = fraction === undefined ? '' : `.${fraction.slice(0, 6)}`;
  const storedOffset = offsetText.length === 1 ? 'Z' : formatOffset(offset);
  return `${year}-${month}-${day}T${time}${storedFraction}${storedOffset}`;
}

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Forms that shops send and that are refused, with the problem that names the right one. */
const refusedForms: [RegExp, DateTimeProblem][] = [
  [/^\d{4}-?\d\d-?\d\d$/, dateOnly],
  [/^\d{4}-?\d\d-?\d\d \d\d/, blank],
  [/^\d{4}-?[Ww]\d\d/, notCalendar],
  [/^\d{4}-?\d{3}(?:[Tt]|$)/, notCalendar],
];

function formProblem(text: string): DateTimeProblem {
  return refusedForms.find(([form]) => form.test(text))?.[1] ?? malformed;
}

/** The offset in seconds of a text such as `Z`, `+09:00`, `+0900` or `+09`. */
function readOffset(text: string): number | DateTimeProblem {
  const [form, sign, hours, minutes] = offsetForm.exec(text) ?? [];
  if (form === undefined) return malformed;
  if (Number(hours ?? 0) > 15 || Number(minutes ?? 0) > 59) return offsetOutOfRange;
  return Number(`${sign ?? ''}1`) * (Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60);
}
