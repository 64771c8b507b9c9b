import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { validateBoot } from '@rewardhook/contract';
import {
  ensureMember,
  findIdentitySecret,
  findMemberByCode,
  findReferral,
  hasOrders,
  insertReferral,
} from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { invalidRequest } from '../http/api-error.ts';
import { parseBody } from '../http/read-body.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { JudgeEarlierOrders } from './judge-earlier-orders.ts';

/** What became of the referral code that came with the call. */
type LinkOutcome = 'linked' | 'already_linked' | 'no_code' | 'unknown_code' | 'own_code' | 'not_new';

/**
 * POST /api/open/members/boot/: what the browser SDK calls. Returns the member's own referral code, and links
 * him to the owner of `referral_code` when he is new: no order yet, no referrer yet, and not himself.
 */
export function bootMember(
  database: Database,
  sealer: Sealer,
  judgeEarlier: JudgeEarlierOrders,
): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const verdict = validateBoot(parseBody(request));
    if (verdict.kind === 'invalid') throw invalidRequest(verdict.params);
    const { user_id: memberId, referral_code: code, user_hash: hash } = verdict.value;
    if (hash !== undefined) await checkHash(merchantId, memberId, hash);

    const ownCode = await ensureMember(database, merchantId, memberId);
    const link = await linkByCode(merchantId, memberId, code);
    response.status(200).json({
      data: {
        user_id: memberId,
        referral_code: ownCode,
        referrer_linked: link === 'linked' || link === 'already_linked',
        link,
      },
    });
  };

  async function checkHash(merchantId: string, memberId: string, hash: string): Promise<void> {
    const sealed = await findIdentitySecret(database, merchantId);
    if (sealed === undefined) throw new Error('the merchant has no identity secret');
    const expected = createHmac('sha256', sealer.open(sealed)).update(memberId, 'utf8').digest();
    if (!timingSafeEqual(expected, Buffer.from(hash, 'hex')))
      throw invalidRequest({ user_hash: 'does not belong to user_id' });
  }

  async function linkByCode(
    merchantId: string,
    memberId: string,
    code: string | undefined,
  ): Promise<LinkOutcome> {
    if (await findReferral(database, merchantId, memberId)) return 'already_linked';
    if (code === undefined) return 'no_code';
    const referrer = await findMemberByCode(database, merchantId, code);
    if (!referrer) return 'unknown_code';
    if (referrer.memberId === memberId) return 'own_code';
    if (await hasOrders(database, merchantId, memberId)) return 'not_new';
    const { referral, isNew } = await insertReferral(database, {
      merchantId,
      referrerMemberId: referrer.memberId,
      refereeMemberId: memberId,
      source: 'boot',
    });
    await judgeEarlier(merchantId, referral);
    return isNew ? 'linked' : 'already_linked';
  }
}
