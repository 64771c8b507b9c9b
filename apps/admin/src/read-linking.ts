import { describeFieldError } from '@rewardhook/contract';
import { checkLandingUrl, checkOrigin } from '@rewardhook/webhook';
import { UsageError } from './command.ts';

interface UrlOptions {
  /** A development setting: http to this machine is then allowed too. */
  allowLoopbackHttp: boolean;
}

/** A landing URL as stored, or null for `''`. A fragment is fine. @throws UsageError */
export function readLandingUrl(text: string, options: UrlOptions): string | null {
  if (text === '') return null;
  const checked = checkLandingUrl(text, options);
  if (!checked.ok)
    throw new UsageError(`The landing URL cannot be used: it ${describeFieldError(checked.error)}.`);
  return checked.value;
}

/** Comma-separated origins, each as browsers send it in `Origin`. @throws UsageError */
export function readAllowedOrigins(text: string, options: UrlOptions): string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== '').map((name) => readOrigin(name, options)))];
}

/** An origin as browsers send it. @throws UsageError */
export function readOrigin(text: string, options: UrlOptions): string {
  const checked = checkOrigin(text, options);
  if (!checked.ok)
    throw new UsageError(`The origin ${text} cannot be used: it ${describeFieldError(checked.error)}.`);
  return checked.value;
}

/** `true` or `false`. @throws UsageError that names the option */
export function readFlag(option: string, text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new UsageError(`${option} is true or false.`);
  return text === 'true';
}

/** Whole days from 1 to 365. @throws UsageError */
export function readAttributionDays(text: string): number {
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < 1 || days > 365)
    throw new UsageError('--attribution-days is a whole number from 1 to 365.');
  return days;
}
