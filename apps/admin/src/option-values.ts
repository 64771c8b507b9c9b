import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  describeFieldError,
  fieldError,
  instantOf,
  isPlaceholderId,
  parseInstant,
  textProblem,
} from '@rewardhook/contract';
import { findMerchant, maxOverlapHours, startOfDay } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { parseTerms, TermsError } from '@rewardhook/rewards';
import type { Terms } from '@rewardhook/rewards';
import { checkAllowedOrigin, checkLandingUrl, checkOrigin } from '@rewardhook/webhook';
import { UsageError } from './command.ts';

interface UrlOptions {
  /** WEBHOOK_ALLOW_LOOPBACK, a development setting: http to this machine is allowed too. */
  allowLoopbackHttp: boolean;
}

/** Finds a merchant. @throws UsageError when there is none with this id */
export async function requireMerchant(database: Database, merchantId: string) {
  const merchant = await findMerchant(database, merchantId);
  if (!merchant) throw new UsageError(`There is no merchant ${merchantId}.`);
  return merchant;
}

/** Reads `true` or `false`; false when the option is missing. @throws UsageError that names the option */
export function readFlag(option: string, text: string | undefined): boolean {
  if (text === undefined) return false;
  if (text !== 'true' && text !== 'false') throw new UsageError(`${option} must be true or false.`);
  return text === 'true';
}

/** Reads a text of 1 to `most` characters. @throws UsageError that names the option */
export function readText(option: string, text: string, most: number): string {
  if (textProblem(text, 1, most) !== undefined)
    throw new UsageError(`${option} must have 1 to ${most.toLocaleString('en')} characters.`);
  return text;
}

/** Reads the id of a member who is linked or survives a merge. @throws UsageError that names the option */
export function readMemberId(option: string, text: string): string {
  if (isPlaceholderId(readText(option, text, 255)))
    throw new UsageError(`${option} ${describeFieldError(fieldError('placeholder_id'))}.`);
  return text;
}

/** Reads `--reason` of a correction, as the API does. @throws UsageError */
export const readReason = (text: string): string => readText('--reason', text, 1_000);

/** Reads `--key`, which makes a correction once, as the API reads `Idempotency-Key`; a new one when it is missing. @throws UsageError */
export const readCorrectionKey = (text: string | undefined): string =>
  text === undefined ? randomUUID() : readText('--key', text, 255);

/** Reads the maximum number of rows of a list, 1 to 1000. @throws UsageError */
export function readLimit(text: string): number {
  const limit = Number(text);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 1_000))
    throw new UsageError('--limit must be a number from 1 to 1000.');
  return limit;
}

/** What the option `overlap-hours` takes. */
export const overlapHint = `0 to ${maxOverlapHours} (default 24); 0 changes immediately`;

/** Reads the option `overlap-hours`, in seconds. @throws UsageError */
export function readOverlapSeconds(text = '24'): number {
  const hours = Number(text);
  if (text.trim() === '' || !(hours >= 0 && hours <= maxOverlapHours))
    throw new UsageError(`--overlap-hours must be a number from 0 to ${maxOverlapHours}.`);
  return hours * 3_600;
}

/** Reads a whole number, 1 or more. @throws UsageError that names the option */
export function readPositive(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > Number.MAX_SAFE_INTEGER)
    throw new UsageError(`${option} must be a whole number, 1 or more.`);
  return value;
}

/** Reads a limit of a merchant: 0 for none, or at least `least`; null for "setting". @throws UsageError that names the option */
export function readMerchantLimit(option: string, text: string, least: number): number | null {
  if (text === 'setting') return null;
  const limit = Number(text);
  if (!/^\d{1,7}$/.test(text) || limit > 1_000_000 || (limit > 0 && limit < least))
    throw new UsageError(`${option} must be 0, a number from ${least} to 1000000, or "setting".`);
  return limit;
}

/**
 * Reads a day, which begins at midnight in the merchant's time zone, or a date-time with its offset, as an instant with
 * microseconds; null when the option is missing. @throws UsageError that names the option
 */
export async function readTime(
  database: Database,
  merchantId: string,
  option: string,
  text: string | undefined,
): Promise<string | null> {
  if (text === undefined) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const at = parseInstant(isDay ? `${text}T00:00:00Z` : text);
  if (typeof at !== 'string')
    throw new UsageError(
      `${option} must be a date such as 2026-11-21 or 2026-11-21T09:00:00+09:00, not ${text}: it ${describeFieldError(at)}.`,
    );
  if (!isDay) return at;
  const start = await startOfDay(database, merchantId, text);
  return start ? instantOf(start) : null;
}

/** Reads a landing URL; null for `''`. A fragment is allowed. @throws UsageError */
export function readLandingUrl(text: string, options: UrlOptions): string | null {
  if (text === '') return null;
  const checked = checkLandingUrl(text, options);
  if (!checked.ok)
    throw new UsageError(`The landing URL cannot be used: it ${describeFieldError(checked.error)}.`);
  return checked.value;
}

/** Reads comma-separated origins, each in the form of the `Origin` header. @throws UsageError */
export function readAllowedOrigins(text: string, options: UrlOptions): string[] {
  const names = text.split(',').map((name) => name.trim());
  const read = (name: string) => originOf(name, checkAllowedOrigin(name, options));
  return [...new Set(names.filter((name) => name !== '').map((name) => read(name)))];
}

/** Reads an origin; returns it in the form of the `Origin` header. @throws UsageError */
export function readOrigin(text: string, options: UrlOptions): string {
  return originOf(text, checkOrigin(text, options));
}

function originOf(text: string, checked: ReturnType<typeof checkOrigin>): string {
  if (!checked.ok)
    throw new UsageError(`The origin ${text} cannot be used: it ${describeFieldError(checked.error)}.`);
  return checked.value;
}

/** Reads an integer number of days from 1 to 365. @throws UsageError */
export function readAttributionDays(text: string): number {
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < 1 || days > 365)
    throw new UsageError('--attribution-days must be a whole number from 1 to 365.');
  return days;
}

/** Reads the terms of a program from a JSON file; date-times without an offset are in a time zone. @throws UsageError that lists all of their problems */
export async function readTermsFile(file: string, timeZone: string): Promise<Terms> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`The program file cannot be read: ${error.message}`);
  });
  try {
    // Editors on Windows begin a file with a byte order mark.
    return parseTerms(JSON.parse(text.replace(/^\uFEFF/, '')), timeZone);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is not JSON: ${error.message}`);
    if (!(error instanceof TermsError)) throw error;
    const problems = Object.entries(error.problems).map(
      ([path, problem]) => `  ${path} ${describeFieldError(problem)}`,
    );
    throw new UsageError(
      `${file} has no valid terms of a program (see docs/rewards.md):\n${problems.join('\n')}`,
    );
  }
}
