import type { Request, RequestHandler } from 'express';
import { fieldError, isPlaceholderId, validateBoot } from '@rewardhook/contract';
import type { Answer, BootRequest } from '@rewardhook/contract';
import {
  ensureMember,
  findFormerIdentitySecrets,
  findMemberCode,
  formerIdentitySecretContext,
  identitySecretContext,
  resolveMember,
} from '@rewardhook/database';
import type { Database, LinkingSettings, Sealer } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { invalidRequest } from '../http/api-error.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { HourlyLimits } from '../limits/hourly-limits.ts';
import { linkingSettingsOf } from './browser-access.ts';
import { isUserHashValid } from './is-user-hash-valid.ts';
import { linkByCode } from './link-by-code.ts';
import type { BootedMember } from './link-by-code.ts';

/** What the boot handler uses. */
export interface BootDependencies {
  database: Database;
  sealer: Sealer;
  hourlyLimits: HourlyLimits;
  enqueueDue: EnqueueDue;
  /** The start of share links: scheme, host and perhaps a path, without a slash at the end. */
  publicUrl: string;
}

/**
 * POST /api/open/members/boot/: called by the browser SDK. Links the member to the owner of their referral code. With a
 * valid `user_hash`, the response has the member's own code and share link. Without one, the request is refused; where
 * the merchant does not require a `user_hash`, the response is the same for every member and reveals nothing about them.
 */
export function bootMember({
  database,
  sealer,
  hourlyLimits,
  enqueueDue,
  publicUrl,
}: BootDependencies): RequestHandler {
  const link = linkByCode(database, hourlyLimits, enqueueDue);

  const bootVerified = async (member: BootedMember, landingUrl: string | null): Promise<BootResult> => {
    const { merchantId, memberId, address } = member;
    const known = await findMemberCode(database, merchantId, memberId);
    if (known === undefined) await hourlyLimits.countMember(merchantId, address);
    const ownCode = known ?? (await ensureMember(database, merchantId, memberId));
    const outcome = await link(member);
    return {
      verified: true,
      referral_code: ownCode,
      share_link: landingUrl === null ? null : `${publicUrl}/r/${ownCode}`,
      referrer_linked: outcome === 'linked' || outcome === 'already_linked',
      link: outcome,
    };
  };
  const bootUnverified = async (member: BootedMember): Promise<BootResult> => {
    if (member.code !== undefined) {
      // Known members are counted too: otherwise the limit would reveal which members are known.
      await hourlyLimits.countMember(member.merchantId, member.address);
      await link(member);
    }
    return unverifiedResult;
  };

  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const linking = linkingSettingsOf(response);
    const validation = validateBoot(request.body);
    if (validation.kind === 'invalid') throw invalidRequest(validation.errors);
    const { user_id: userId, referral_code: code, click_id: clickId } = validation.value;
    const verified = await isVerified({ database, sealer }, merchantId, linking, validation.value);
    // The hash is that of the id that was sent; the id may be an alias.
    const memberId = await withDatabaseTimeout(resolveMember(database, merchantId, userId));
    if (isPlaceholderId(memberId)) throw invalidRequest({ user_id: fieldError('placeholder_id') });
    const member: BootedMember = {
      merchantId,
      memberId,
      code,
      clickId,
      attributionDays: linking.attributionDays,
      address: request.ip,
      verified,
      fromMerchantPage: isFromMerchantPage(request, linking),
    };
    const booting = verified ? bootVerified(member, linking.landingUrl) : bootUnverified(member);
    const result = await withDatabaseTimeout(booting);
    const data: Answer<'Boot'> = { user_id: userId, ...result };
    response.status(200).json({ data });
  };
}

/** `data` of a boot response, except the user id. */
type BootResult = Omit<Answer<'Boot'>, 'user_id'>;

/** The same for every member. */
const unverifiedResult: BootResult = {
  verified: false,
  referral_code: null,
  share_link: null,
  referrer_linked: null,
  link: 'unverified',
};

/**
 * Whether the request has a valid `user_hash`, of the identity secret or, during the overlap of a replacement, of a former one.
 * @throws ApiError when it is invalid, or missing where the merchant requires it
 */
async function isVerified(
  { database, sealer }: Pick<BootDependencies, 'database' | 'sealer'>,
  merchantId: string,
  linking: LinkingSettings,
  { user_id, user_hash }: BootRequest,
): Promise<boolean> {
  if (user_hash === undefined) {
    if (linking.requireUserHash) throw invalidRequest({ user_hash: fieldError('required') });
    return false;
  }
  const secret = sealer.open(linking.identitySecret, identitySecretContext(merchantId));
  if (isUserHashValid(secret, user_id, user_hash)) return true;
  for (const { id, sealedSecret } of await withDatabaseTimeout(
    findFormerIdentitySecrets(database, merchantId),
  )) {
    const former = sealer.open(sealedSecret, formerIdentitySecretContext(merchantId, id));
    if (isUserHashValid(former, user_id, user_hash)) return true;
  }
  throw invalidRequest({ user_hash: fieldError('hash_of_another_id', { field: 'user_id' }) });
}

/**
 * Whether the Origin header is an allowed origin or the origin of the landing URL. Only browsers send it reliably: other
 * programs can send any origin.
 */
function isFromMerchantPage(request: Request, { allowedOrigins, landingUrl }: LinkingSettings): boolean {
  const origin = request.get('origin');
  if (origin === undefined) return false;
  return allowedOrigins.includes(origin) || (landingUrl !== null && new URL(landingUrl).origin === origin);
}
