import { texts } from '../../apps/console/web/src/data/texts.ts';
import type { FuzzRequest } from '../requests/fuzz-request.ts';
import { cannotBeSent } from '../requests/send.ts';
import type { FuzzAnswer } from '../requests/send.ts';
import { readError } from './read-error.ts';

/** What is wrong with an answer; undefined when nothing is. */
export function checkAnswer({ target }: FuzzRequest, answer: FuzzAnswer): string | undefined {
  const { status, error, headers, text } = answer;
  if (status === undefined) return error === cannotBeSent ? undefined : `no answer: ${error}`;
  // 503 with Retry-After says that the service is busy; the dashboard answers 502 and 503 only while Redis is away.
  if (status >= 500 && !(status === 503 && headers['retry-after'] !== undefined))
    return `${status} ${text.slice(0, 300)}`;
  if (target === 'console' && status >= 400) return untranslated(text);
  return undefined;
}

/** Every error of the console has a text for its reason and for each of its fields. */
function untranslated(text: string): string | undefined {
  const { code, reason, params = {}, fields = {} } = readError(text);
  // Express itself answers before a route is found.
  if (code === undefined) return `no code: ${text.slice(0, 300)}`;
  const codes = [reason?.code, ...Object.keys(params).map((path) => fields[path]?.code)];
  const missing = codes.filter((one) => one === undefined || !(one in texts.errorTexts));
  return missing.length === 0 ? undefined : `no text for ${missing.join(', ')}: ${text.slice(0, 300)}`;
}
