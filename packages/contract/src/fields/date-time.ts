import { fieldError } from './field-errors.ts';
import type { FieldError, FieldErrorCode } from './field-errors.ts';
import { formatOffset, localOffsetOf } from './time-zone.ts';
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
const neverSet: DateTimeProblem = { problem: 'date_time_never_set' };

const LONGEST = '9999-12-31T23:59:59.123456789+14:00'.length;
const END_OF_TIME = Date.UTC(10_000, 0, 1);
/** In seconds. No time zone has a larger one since 1900. */
const LARGEST_OFFSET = 14 * 3_600;
/** What PHP, Java and SQL write for an empty date. */
const neverSetTimes = new Set([Date.UTC(1970, 0, 1), Date.UTC(1900, 0, 1)]);
const PLUS = 43;
const MINUS = 45;
const DOT = 46;
const COLON = 58;
const COMMA = 44;
const LETTER_T = 84;
const LOWER_T = 116;
const LOWER_Z = 122;
/** The bit that makes a letter lower case. */
const LOWER_CASE = 32;

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
 * Parses like {@link parseDateTime}, with microseconds, which a `Date` cannot hold. A text without an offset is in the time zone, if
 * one is given. The result is in UTC, such as
 * `2026-11-21T01:00:00.123456Z`: these texts compare as their instants do, and PostgreSQL reads them.
 */
export function parseInstant(text: string, timeZone?: string): string | FieldError {
  const read = readDateTime(text, timeZone === undefined ? undefined : localOffsetOf(timeZone));
  return typeof read === 'string' ? inUtc(read) : fieldError(read.problem);
}

/** What {@link readDateTime} returned, in the form of {@link parseInstant}. Its offset has no seconds. */
export function inUtc(read: string): string {
  const fraction = /\.(\d{1,6})/.exec(read)?.[1] ?? '';
  return `${new Date(read).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}Z`;
}

/** The instant of what {@link readDateTime} returned, in milliseconds since 1970. */
export function millisecondsOf(read: string): number {
  const at = Date.parse(read);
  if (!Number.isNaN(at)) return at;
  // JavaScript does not read the seconds of a historical offset.
  const seconds = Number(`${read.slice(-9, -8)}${read.slice(-2)}`);
  return Date.parse(read.slice(0, -3)) - seconds * 1_000;
}

/** The instant of a `Date`, in the form of {@link parseInstant}. */
export const instantOf = (at: Date): string => `${at.toISOString().slice(0, 23)}000Z`;

/**
 * Reads ISO 8601 `YYYY-MM-DDThh:mm[:ss[.f]]` or `YYYYMMDDThhmm[ss[.f]]` (f: 1–9 digits, after `.` or `,`) with the offset `Z`,
 * `±hh:mm`, `±hhmm` or `±hh` (at most ±14:00); `t` and `z` count as `T` and `Z`. The year as written is
 * 1900–9999, and the instant is not after 9999 in UTC.
 *
 * Returns the same in the extended form `YYYY-MM-DDThh:mm[:ss[.f]]±hh:mm`, which PostgreSQL casts to the same instant as
 * timestamptz, with the fraction truncated to the 6 digits that PostgreSQL stores. An absent offset is appended from
 * `localOffset`; without `localOffset` it is a problem. Works on character codes because it runs several times per order.
 */
export function readDateTime(text: string, localOffset: LocalOffset | undefined): string | DateTimeProblem {
  return readText(text, localOffset, false);
}

/**
 * Reads a date-time of an order like {@link readDateTime}. One that means "never set" is the problem `date_time_never_set`: the
 * instant is 1970-01-01 or 1900-01-01 00:00 in UTC, or these are the date and time as written, or the year as written is 9999.
 */
export function readOrderTime(text: string, localOffset: LocalOffset | undefined): string | DateTimeProblem {
  return readText(text, localOffset, true);
}

function readText(
  text: string,
  localOffset: LocalOffset | undefined,
  canBeNeverSet: boolean,
): string | DateTimeProblem {
  if (text.length > LONGEST) return malformed;
  if (text.charCodeAt(4) !== MINUS) {
    const basic = basicForm.exec(text);
    if (!basic) return formProblem(text);
    const [, year, month, day, hour, minute, second, rest = ''] = basic;
    const time = [hour, minute, ...(second === undefined ? [] : [second])].join(':');
    return readText(`${year}-${month}-${day}T${time}${rest}`, localOffset, canBeNeverSet);
  }
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  if ((century | yearOfCentury | month | day | hour | minute) < 0) return formProblem(text);
  const separator = text.charCodeAt(10);
  if (
    text.charCodeAt(7) !== MINUS ||
    (separator !== LETTER_T && separator !== LOWER_T) ||
    text.charCodeAt(13) !== COLON
  ) {
    return formProblem(text);
  }
  let at = 16;
  let second = 0;
  let fraction = '';
  if (text.charCodeAt(at) === COLON) {
    second = twoDigits(text, 17);
    if (second < 0) return malformed;
    at = 19;
    if (text.charCodeAt(at) === DOT || text.charCodeAt(at) === COMMA) {
      at++;
      while (isDigit(text.charCodeAt(at))) at++;
      if (at === 20 || at > 29) return malformed;
      fraction = `.${text.slice(20, Math.min(at, 26))}`;
    }
  }
  const given = at === text.length ? undefined : readOffset(text, at);
  if (typeof given === 'object') return given;

  const year = century * 100 + yearOfCentury;
  if (year < 1899) return yearOutOfRange;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return noSuchTime;
  if (hour === 24 && minute === 0 && second === 0) return endOfDay;
  if (hour > 23 || minute > 59 || second > 59) return noSuchTime;

  const offset = given ?? localOffset?.(Date.UTC(year, month - 1, day, hour, minute, second)) ?? 0;
  if (year <= 1970 || year === 9999) {
    const local = Date.UTC(year, month - 1, day, hour, minute, second);
    const instant = local - offset * 1000;
    if (canBeNeverSet && meansNeverSet(year, local, instant, fraction)) return neverSet;
    if (year < 1900 || instant >= END_OF_TIME) return yearOutOfRange;
  }
  if (given === undefined && localOffset === undefined) return offsetMissing;
  const isUtc = given === 0 && (text.charCodeAt(at) | LOWER_CASE) === LOWER_Z;
  const time = text.slice(11, at < 19 ? 16 : 19);
  return `${text.slice(0, 10)}T${time}${fraction}${isUtc ? 'Z' : formatOffset(offset)}`;
}

function meansNeverSet(year: number, local: number, instant: number, fraction: string): boolean {
  if (year === 9999) return true;
  return (neverSetTimes.has(instant) || neverSetTimes.has(local)) && !/[1-9]/.test(fraction);
}

/** The basic form, with its fraction and offset as they are. */
const basicForm = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)?([^:].*)?$/;

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

/** The offset in seconds that is written from `at` to the end. */
function readOffset(text: string, at: number): number | DateTimeProblem {
  const sign = text.charCodeAt(at);
  const length = text.length - at;
  if ((sign | LOWER_CASE) === LOWER_Z && length === 1) return 0;
  if (sign !== PLUS && sign !== MINUS) return malformed;
  const hours = twoDigits(text, at + 1);
  let minutes = 0;
  if (length === 6 && text.charCodeAt(at + 3) === COLON) minutes = twoDigits(text, at + 4);
  else if (length === 5) minutes = twoDigits(text, at + 3);
  else if (length !== 3) return malformed;
  if ((hours | minutes) < 0) return malformed;
  const seconds = hours * 3600 + minutes * 60;
  if (minutes > 59 || seconds > LARGEST_OFFSET) return offsetOutOfRange;
  return sign === PLUS ? seconds : -seconds;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The number of the two digits at `at`, or -1 when they are not digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? tens * 10 + ones - 528 : -1;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
