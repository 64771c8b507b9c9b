import { createClient, RewardhookError, type Client } from '@rewardhook/node';
import type { Settings } from '../environment.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';

/** The API with the settings of a command. */
export type Api = Client & { baseUrl: string };

/** Opens the client of the API. `attempts`: of a call that fails temporarily; default 3. */
export function openApi(settings: Settings, attempts = 3): Api {
  const baseUrl = settings.baseUrl();
  const client = createClient({ apiUrl: baseUrl, secretKey: settings.secretKey(), retry: { attempts } });
  return { ...client, baseUrl };
}

/** Whether a call failed for a reason that passes: no answer, an overload, a restart. */
export function isTemporary(error: unknown): error is RewardhookError {
  if (!(error instanceof RewardhookError)) return false;
  const { code, status = 0 } = error;
  return code === 'unreachable' || code === 'service_unavailable' || code === 'rate_limited' || status >= 500;
}

/** What the user can do about an error, by its code. */
const hints = new Map([
  [
    'invalid_api_key',
    ' Check REWARDHOOK_SECRET_KEY: it is wrong or revoked, or belongs to another installation.',
  ],
  ['unexpected_response', ' It is set with REWARDHOOK_BASE_URL or --base-url.'],
]);

/** What to write about an error of the API, and the exit code. Others are rethrown. */
export function commandErrorOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (!(error instanceof RewardhookError)) throw error;
  const { code, message, requestId } = error;
  if (isTemporary(error)) return new CommandError(message, exitCodes.unavailable);
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  return new CommandError(`${code}: ${message}${hints.get(code) ?? ''}${request}`, exitCodes.failed);
}
