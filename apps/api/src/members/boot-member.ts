import type { RequestHandler } from 'express';
import { validateBoot } from '@rewardhook/contract';
import type { BootRequest } from '@rewardhook/contract';
import { ensureMember } from '@rewardhook/database';
import type { Database, Linking, Sealer } from '@rewardhook/database';
import { invalidRequest } from '../http/api-error.ts';
import { orUnavailable } from '../http/or-unavailable.ts';
import { parseBody } from '../http/read-body.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { FlagLink } from './flag-link.ts';
import { isUserHashRight } from './is-user-hash-right.ts';
import type { JudgeEarlierOrders } from './judge-earlier-orders.ts';
import { linkByCode } from './link-by-code.ts';
import { linkingOf } from './require-allowed-origin.ts';

export interface BootParts {
  database: Database;
  sealer: Sealer;
  flagLink: FlagLink;
  judgeEarlier: JudgeEarlierOrders;
  /** What share links begin with: scheme, host and perhaps a path, without a slash at the end. */
  publicUrl: string;
}

const longestWaitMs = 10_000;

/**
 * POST /api/open/members/boot/: what the browser SDK calls. Returns the member's own referral code and share
 * link, and links him to whoever's code he came with. Without a right `user_hash`, where the merchant requires
 * one, it does nothing and tells nothing.
 */
export function bootMember({
  database,
  sealer,
  flagLink,
  judgeEarlier,
  publicUrl,
}: BootParts): RequestHandler {
  const link = linkByCode(database, flagLink, judgeEarlier);
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const linking = linkingOf(response);
    const verdict = validateBoot(parseBody(request));
    if (verdict.kind === 'invalid') throw invalidRequest(verdict.params);
    const { user_id: memberId, referral_code: code, click_id: clickId } = verdict.value;
    requireUserHash(sealer, linking, verdict.value);

    const { attributionDays } = linking;
    const boot = async () => {
      const ownCode = await ensureMember(database, merchantId, memberId);
      const arrival = { merchantId, memberId, code, clickId, attributionDays, address: request.ip };
      return { ownCode, outcome: await link(arrival) };
    };
    const { ownCode, outcome } = await orUnavailable(boot(), longestWaitMs);
    response.status(200).json({
      data: {
        user_id: memberId,
        referral_code: ownCode,
        share_link: linking.landingUrl === null ? null : `${publicUrl}/r/${ownCode}`,
        referrer_linked: outcome === 'linked' || outcome === 'already_linked',
        link: outcome,
      },
    });
  };
}

function requireUserHash(sealer: Sealer, linking: Linking, { user_id, user_hash }: BootRequest): void {
  if (user_hash === undefined) {
    if (linking.requireUserHash) throw invalidRequest({ user_hash: 'is required' });
    return;
  }
  if (!isUserHashRight(sealer.open(linking.identitySecret), user_id, user_hash))
    throw invalidRequest({ user_hash: 'does not belong to user_id' });
}
