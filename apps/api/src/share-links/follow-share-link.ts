import type { Request, RequestHandler } from 'express';
import { isbot } from 'isbot';
import { newId, readReferralCode } from '@rewardhook/contract';
import { findShareLink, insertClick } from '@rewardhook/database';
import type { Database, ShareLink } from '@rewardhook/database';
import type { Logger } from '@rewardhook/process';
import { ApiError } from '../http/api-error.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import type { HourlyLimits } from '../limits/hourly-limits.ts';

/** What the share link handler uses. */
export interface ShareLinkDependencies {
  database: Database;
  hourlyLimits: HourlyLimits;
  log: Logger;
}

/** Shorter than elsewhere, because a person waits for the redirect. */
const timeoutMs = 3_000;

/**
 * GET /r/{code}: redirects a visitor who follows a member's share link to the merchant's landing URL, with the query of the link, the
 * code, and the id of the click that is recorded. Links work as people paste them: in either letter case, and with characters
 * after the code.
 */
export function followShareLink({
  database,
  hourlyLimits,
  log,
}: ShareLinkDependencies): RequestHandler<{ code: string }> {
  return async (request, response) => {
    response.set({ 'cache-control': 'no-store', 'referrer-policy': 'strict-origin' });
    const link = await find(request.params.code);
    if (!link) throw new ApiError('not_found', 'No member has this code, or the shop has no landing URL.');
    const clickId = isVisit(request as Request) ? await recordClick(link, request.ip) : undefined;
    const location = landingLocation(link.landingUrl, queryOf(request.url), {
      rh_code: link.code,
      ...(clickId === undefined ? {} : { rh_click: clickId }),
    });
    response.status(302).set({ location }).end();
  };

  async function find(path: string): Promise<ShareLink | undefined> {
    const code = readReferralCode(path);
    return code === '' ? undefined : withDatabaseTimeout(findShareLink(database, code), timeoutMs);
  }

  /** The id of the recorded click; undefined when the limit is reached or it cannot be stored. Never fails. */
  async function recordClick(
    { merchantId, code }: ShareLink,
    address: string | undefined,
  ): Promise<string | undefined> {
    const id = newId('clk');
    try {
      if (!(await hourlyLimits.countClick(merchantId, code, address))) return undefined;
      await withDatabaseTimeout(insertClick(database, { id, merchantId, code }), timeoutMs);
      return id;
    } catch (error) {
      log.warn('a click could not be stored', { merchantId, error });
      return undefined;
    }
  }
}

/** Whether a request for a share link comes from a person who follows it. A wrong guess loses a click, never a visitor. */
function isVisit(request: Request): boolean {
  if (request.method === 'HEAD') return false;
  // Browsers announce that they fetch a page in advance.
  const purpose = request.get('sec-purpose') ?? request.get('purpose') ?? '';
  if (/prefetch|prerender/i.test(purpose)) return false;
  return !isbot(request.get('user-agent'));
}

const queryOf = (url: string): string => url.slice(url.indexOf('?') + 1 || url.length);

/**
 * The landing URL with the query of the link and then our parameters appended to its own query. `rh_code` and `rh_click` of the link
 * are left out. The rest, such as a fragment, is unchanged.
 */
export function landingLocation(
  landingUrl: string,
  query: string,
  parameters: Record<string, string>,
): string {
  const url = new URL(landingUrl);
  const isOurs = (pair: string) => /^rh_(code|click)$/i.test(nameOf(pair));
  const passed = query.split('&').filter((pair) => pair !== '' && !isOurs(pair));
  url.search = [url.search.slice(1), ...passed, new URLSearchParams(parameters).toString()]
    .filter((part) => part !== '')
    .join('&');
  return url.href;
}

/** The decoded name of `name=value`. */
const nameOf = (pair: string): string => [...new URLSearchParams(pair).keys()][0] ?? '';
