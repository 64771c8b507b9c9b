import { buildOrder, waitFor } from '@rewardhook/testing';
import { syncPath } from '../harness/call-api.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { openTestSide } from '../test-side/open-test-side.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Browser, RunningConsole, SignedUpMerchant } from '../../apps/console/testing/open-console.ts';

/** One id of each kind that a merchant has. */
export interface MerchantIds {
  merchantId: string;
  webhookId: string;
  deliveryId: string;
  eventId: string;
  replayId: string;
  keyId: string;
  signingKeyId: string;
  invitationId: string;
  userId: string;
  orderId: string;
  memberId: string;
  code: string;
  referralId: string;
  rewardId: string;
  /** `X-Request-Id` of a refused request, and the id of its row. */
  requestId: string;
  requestRowId: string;
}

/**
 * Opens a merchant with rows in every table; all of its names begin with `name`. With `of` the rows are those of the test side
 * of that merchant.
 */
export async function openMerchantWithData(
  flow: Flow,
  running: RunningConsole,
  name: string,
  of?: SignedUpMerchant,
): Promise<{ owner: SignedUpMerchant; ids: MerchantIds; close(): Promise<void> }> {
  const cleanup = openCleanup();
  const owner = of ? await openTestSideOf(flow, of) : await running.signUp(`${name} shop`);
  const { browser, merchant } = owner;
  const receiver = await flow.receiver(merchant, 'reward.issue,reward.revoke', {}, `/${name}-hook`);
  cleanup.add(() => receiver.close());
  const [referrer, referee] = [`${name}-referrer`, `${name}-referee`];
  await flow.link(merchant, referrer, referee);
  const order = buildOrder({ order_id: `${name}-order`, member_id: referee });
  await flow.syncAndSettle(merchant, order, buildOrder({ order_id: `${name}-other`, member_id: referrer }));
  await flow.syncAndSettle(merchant, { ...order, cancelled_at: order.order_date });
  const created = async (path: string, body: unknown) => {
    const answer = await browser.post(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.data as Record<string, unknown> & { invitation?: { id: string } };
  };
  const invited = await created('/team/invitations', { email: `${name}-guest@example.com`, role: 'viewer' });
  const key = await created('/credentials/api-keys', { kind: 'secret', name: `${name} key` });
  const where = { merchantId: merchant.id };
  const { database } = flow;
  const endpoint = await database.endpoint.findFirstOrThrow({ where });
  const range = { from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z', states: ['delivered'] };
  const replay = await created(`/webhooks/${endpoint.id}/replays`, {
    ...range,
    new_ids: true,
    per_minute: 60_000,
  });
  await created(`/webhooks/${endpoint.id}/test`, {});
  const requestId = `${name}-request`;
  await flow.call(
    syncPath,
    { orders: [{ ...order, order_amount: -1 }] },
    { key: merchant.secretKey, headers: { 'x-request-id': requestId } },
  );
  const findRefused = () => database.request.findFirst({ where: { ...where, requestId } });
  await waitFor(async () => (await findRefused()) !== null, { what: 'the refused request' });
  const [delivery, member, signingKey, membership, referral, reward, request] = await Promise.all([
    database.delivery.findFirstOrThrow({ where, orderBy: { createdAt: 'asc' } }),
    database.member.findFirstOrThrow({ where: { ...where, memberId: referrer } }),
    database.signingKey.findFirstOrThrow({ where }),
    database.membership.findFirstOrThrow({ where: { merchantId: (of ?? owner).merchant.id } }),
    database.referral.findFirstOrThrow({ where }),
    database.reward.findFirstOrThrow({ where }),
    findRefused(),
  ]);
  return {
    owner,
    ids: {
      merchantId: merchant.id,
      webhookId: endpoint.id,
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      replayId: String(replay['id']),
      keyId: String(key['id']),
      signingKeyId: signingKey.id,
      invitationId: String(invited.invitation?.id),
      userId: membership.userId,
      orderId: order.order_id,
      memberId: referrer,
      code: member.code,
      referralId: referral.id,
      rewardId: reward.id,
      requestId,
      requestRowId: String(request?.id),
    },
    close: () => cleanup.run(),
  };
}

/** The test side of a merchant, with a browser that calls its routes. */
async function openTestSideOf(
  flow: Flow,
  { browser, email, merchant }: SignedUpMerchant,
): Promise<SignedUpMerchant> {
  return { browser: onTestSide(browser), email, merchant: await openTestSide(flow, merchant) };
}

/** A browser whose calls are those of a page of the test side. */
export function onTestSide(browser: Browser): Browser {
  return {
    send: (method, path, body, headers) => browser.send(method, `/test${path}`, body, headers),
    get: (path) => browser.get(`/test${path}`),
    post: (path, body) => browser.post(`/test${path}`, body),
  };
}
