import type { Request, RequestHandler } from 'express';
import { validateBoot } from '@rewardhook/contract';
import type { BootRequest } from '@rewardhook/contract';
import { ensureMember, findMemberCode, identitySecretContext } from '@rewardhook/database';
import type { Database, LinkingSettings, Sealer } from '@rewardhook/database';
import { invalidRequest } from '../http/api-error.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { parseBody } from '../http/read-body.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { HourlyLimits } from '../limits/hourly-limits.ts';
import type { FlagLink } from './flag-link.ts';
import { isUserHashValid } from './is-user-hash-valid.ts';
import type { EnqueueEarlierOrders } from './enqueue-earlier-orders.ts';
import { linkByCode } from './link-by-code.ts';
import type { LinkOutcome } from './link-by-code.ts';
import { linkingOf } from './require-allowed-origin.ts';

export interface BootDependencies {
  database: Database;
  sealer: Sealer;
  flagLink: FlagLink;
  hourlyLimits: HourlyLimits;
  enqueueEarlierOrders: EnqueueEarlierOrders;
  /** What share links begin with: scheme, host and perhaps a path, without a slash at the end. */
  publicUrl: string;
}

/**
 * POST /api/open/members/boot/: what the browser SDK calls. Links the member to the owner of the code they came with.
 * With a right `user_hash` it returns the member's own referral code and share link. Without one it is refused, or,
 * where the merchant does not require one, answers everybody the same: it says nothing of any member.
 */
export function bootMember({
  database,
  sealer,
  flagLink,
  hourlyLimits,
  enqueueEarlierOrders,
  publicUrl,
}: BootDependencies): RequestHandler {
  const link = linkByCode(database, flagLink, enqueueEarlierOrders);
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const linking = linkingOf(response);
    const validation = validateBoot(parseBody(request));
    if (validation.kind === 'invalid') throw invalidRequest(validation.params);
    const { user_id: memberId, referral_code: code, click_id: clickId } = validation.value;
    const verified = isVerified(sealer, merchantId, linking, validation.value);
    const arrival = {
      merchantId,
      memberId,
      code,
      clickId,
      attributionDays: linking.attributionDays,
      address: request.ip,
      verified,
      fromOwnPage: isFromOwnPage(request, linking),
    };

    const bootVerified = async (): Promise<BootedMember> => {
      const known = await findMemberCode(database, merchantId, memberId);
      if (known === undefined) await hourlyLimits.countMember(merchantId, request.ip);
      const ownCode = known ?? (await ensureMember(database, merchantId, memberId));
      return bootedMember(ownCode, await link(arrival), linking.landingUrl === null ? null : publicUrl);
    };
    const bootUnverified = async (): Promise<BootedMember> => {
      // Counted whether the member is known or not, or the limit would tell them apart.
      if (code !== undefined) {
        await hourlyLimits.countMember(merchantId, request.ip);
        await link(arrival);
      }
      return unverifiedMember;
    };
    const booted = await withDatabaseTimeout(verified ? bootVerified() : bootUnverified());
    response.status(200).json({ data: { user_id: memberId, ...booted } });
  };
}

/** What boot answers, beside the user id. */
interface BootedMember {
  verified: boolean;
  referral_code: string | null;
  share_link: string | null;
  referrer_linked: boolean | null;
  link: LinkOutcome | 'unverified';
}

/** The answer to a call that proves nothing, whoever the member is. */
const unverifiedMember: BootedMember = {
  verified: false,
  referral_code: null,
  share_link: null,
  referrer_linked: null,
  link: 'unverified',
};

function bootedMember(ownCode: string, outcome: LinkOutcome, publicUrl: string | null): BootedMember {
  return {
    verified: true,
    referral_code: ownCode,
    share_link: publicUrl === null ? null : `${publicUrl}/r/${ownCode}`,
    referrer_linked: outcome === 'linked' || outcome === 'already_linked',
    link: outcome,
  };
}

/** Whether a right `user_hash` came. @throws ApiError when it is wrong, or missing where the merchant requires it */
function isVerified(
  sealer: Sealer,
  merchantId: string,
  linking: LinkingSettings,
  { user_id, user_hash }: BootRequest,
): boolean {
  if (user_hash === undefined) {
    if (linking.requireUserHash) throw invalidRequest({ user_hash: 'is required' });
    return false;
  }
  const secret = sealer.open(linking.identitySecret, identitySecretContext(merchantId));
  if (!isUserHashValid(secret, user_id, user_hash))
    throw invalidRequest({ user_hash: 'does not belong to user_id' });
  return true;
}

/** Whether a browser sent it from an allowed origin or from that of the landing URL. Programs can claim any origin. */
function isFromOwnPage(request: Request, { allowedOrigins, landingUrl }: LinkingSettings): boolean {
  const origin = request.get('origin');
  if (origin === undefined) return false;
  return allowedOrigins.includes(origin) || (landingUrl !== null && new URL(landingUrl).origin === origin);
}
