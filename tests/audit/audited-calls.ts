import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findLink } from '@rewardhook/testing/mail';
import { goodPassword } from '../../apps/console/testing/open-console.ts';
import type { Answer, Browser, RunningConsole } from '../../apps/console/testing/open-console.ts';
import type { MerchantIds } from '../console/merchant-with-data.ts';
import type { Flow } from '../harness/start-flow.ts';
import { openRowResets } from './reset-rows.ts';

/** What the calls need: a merchant with rows in every table, and the browser of its owner. */
export interface AuditedMerchant {
  flow: Flow;
  running: RunningConsole;
  browser: Browser;
  email: string;
  ids: MerchantIds;
}

/** Calls a route so that it changes something, with what it needs before. */
type SuccessfulCall = () => Promise<Answer>;

export const otherPassword = 'a different horse battery staple';

/** A call of every route that the audit records, by method and path, in an order in which each succeeds. */
export function auditedCalls({ flow, running, browser, email, ids }: AuditedMerchant) {
  const { database } = flow;
  const guest = 'audit-guest@example.com';
  const contact = 'audit-contact@example.com';
  const newcomer = 'audit-newcomer@example.com';
  const linkOf = async (address: string) => findLink(await running.mail.waitFor(address));
  const range = { states: ['delivered'], from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' };
  const webhook = `/webhooks/${ids.webhookId}`;
  const replay = `/replays/${ids.replayId}`;
  const { setReplay, needsReview, hearRevocations } = openRowResets(flow, ids);
  const guestId = async () => (await database.user.findUniqueOrThrow({ where: { email: guest } })).id;
  const invite = (address: string) => browser.post('/team/invitations', { email: address, role: 'viewer' });
  const another = running.browser();

  let sample = '';
  let rewardId = '';
  const points = { type: 'points', unit: 'points' };
  const correct = (path: string, body: object = {}) =>
    browser.post(path, { reason: 'Promised by support', key: path, ...body });

  const calls: Record<string, SuccessfulCall> = {
    'POST /sign-up': () => another.post('/sign-up', { email: newcomer }),
    'POST /sign-ups/:token': async () =>
      another.post(await linkOf(newcomer), { password: goodPassword, merchant_name: 'Newcomer shop' }),
    'POST /sign-in': () => another.post('/sign-in', { email: newcomer, password: goodPassword }),
    'POST /password': () =>
      another.post('/password', { current_password: goodPassword, new_password: otherPassword }),
    'POST /password-resets': () => another.post('/password-resets', { email: newcomer }),
    'POST /password-resets/:token': async () =>
      another.post(findLink(await running.mail.waitFor(newcomer, 2)), { password: goodPassword }),
    'POST /merchants': async () => {
      await another.post('/sign-in', { email: newcomer, password: goodPassword });
      return another.post('/merchants', { merchant_name: 'Second shop' });
    },
    'POST /session/password': () => another.post('/session/password', { password: goodPassword }),
    'POST /session/merchant': async () => {
      const { merchants } = (await another.get('/session')).data as { merchants: { id: string }[] };
      return another.post('/session/merchant', { merchant_id: merchants[0]?.id });
    },
    'POST /sign-out': () => another.post('/sign-out'),
    'PATCH /merchant': () => browser.send('PATCH', '/merchant', { name: 'Renamed', contact_email: contact }),
    'POST /merchant/contact-confirmation': async () => {
      await linkOf(contact);
      return browser.post('/merchant/contact-confirmation');
    },
    'POST /contact-confirmations/:token': async () =>
      another.post(findLink(await running.mail.waitFor(contact, 2))),
    'POST /team/invitations': () => invite(guest),
    'POST /invitations/:token/accept': async () =>
      another.post(`${await linkOf(guest)}/accept`, { password: goodPassword }),
    'PATCH /team/members/:user_id': async () =>
      browser.send('PATCH', `/team/members/${await guestId()}`, { role: 'developer' }),
    'DELETE /team/members/:user_id': async () =>
      browser.send('DELETE', `/team/members/${await guestId()}?revoke_keys=true`),
    'DELETE /team/invitations/:id': () => browser.send('DELETE', `/team/invitations/${ids.invitationId}`),
    'POST /credentials/api-keys': () =>
      browser.post('/credentials/api-keys', { kind: 'secret', name: 'audited key' }),
    'DELETE /credentials/api-keys/:id': () => browser.send('DELETE', `/credentials/api-keys/${ids.keyId}`),
    'POST /credentials/signing-keys/:id/reveal': () =>
      browser.post(`/credentials/signing-keys/${ids.signingKeyId}/reveal`),
    'POST /credentials/identity-secret/reveal': () => browser.post('/credentials/identity-secret/reveal'),
    'POST /credentials/identity-secret/replace': () =>
      browser.post('/credentials/identity-secret/replace', { overlap_hours: 24 }),
    'POST /credentials/origins': () =>
      withSite(ids.merchantId, (origin) => browser.post('/credentials/origins', { origin })),
    'PUT /credentials/linking': () =>
      browser.send('PUT', '/credentials/linking', {
        allowed_origins: ['https://shop.example'],
        landing_url: null,
        require_user_hash: false,
        attribution_days: 31,
      }),
    'POST /webhooks': () =>
      browser.post('/webhooks', {
        url: 'https://hooks.example.com/path-of-a-webhook?token=token-of-a-webhook',
        event_types: ['reward.issue'],
      }),
    'PATCH /webhooks/:id': () => browser.send('PATCH', webhook, { retry_hours: 5 }),
    'POST /webhooks/:id/test': () => browser.post(`${webhook}/test`, {}),
    'POST /webhooks/:id/certify': async () => {
      const where = { merchantId: ids.merchantId, id: ids.webhookId };
      await database.endpoint.updateMany({ where, data: { firstSuccessAt: new Date() } });
      return browser.post(`${webhook}/certify`);
    },
    'POST /webhooks/:id/replays': () =>
      browser.post(`${webhook}/replays`, { ...range, new_ids: false, per_minute: 1 }),
    'POST /replays/:id/pause': async () => {
      await setReplay('running');
      return browser.post(`${replay}/pause`);
    },
    'POST /replays/:id/resume': async () => {
      await setReplay('paused');
      return browser.post(`${replay}/resume`);
    },
    'POST /replays/:id/cancel': async () => {
      await setReplay('paused');
      return browser.post(`${replay}/cancel`);
    },
    'POST /replays': async () => {
      await setReplay('done');
      return browser.post('/replays', { ...range, new_ids: false, per_minute: 1 });
    },
    'POST /deliveries/retry': () => browser.post('/deliveries/retry', { ids: [ids.deliveryId] }),
    'POST /webhooks/:id/probe': async () => {
      await database.delivery.updateMany({
        where: { id: ids.deliveryId },
        data: { state: 'pending', nextAttemptAt: new Date(Date.now() + 600_000) },
      });
      return browser.post(`${webhook}/probe`);
    },
    'POST /deliveries/:id/retry': () => browser.post(`/deliveries/${ids.deliveryId}/retry`),
    'POST /webhooks/:id/earlier-rewards': () => browser.post(`${webhook}/earlier-rewards`),
    'POST /webhooks/:id/pause': () => browser.post(`${webhook}/pause`),
    'POST /webhooks/:id/resume': () => browser.post(`${webhook}/resume`),
    'POST /webhooks/:id/enable': async () => {
      await database.endpoint.updateMany({
        where: { id: ids.webhookId },
        data: { disabledAt: new Date() },
      });
      return browser.post(`${webhook}/enable`);
    },
    'PUT /program/draft': () =>
      browser.send('PUT', '/program/draft', {
        terms: { minimumPaidAmount: 2_000 },
        base_version: 1,
        former_saved_at: null,
      }),
    'DELETE /program/draft': async () => {
      const { draft } = (await browser.get('/program')).data as { draft: { saved_at: string } };
      return browser.send('DELETE', `/program/draft?former_saved_at=${draft.saved_at}`);
    },
    'POST /program': () => browser.post('/program', { terms: { minimumPaidAmount: 3_000 }, base_version: 1 }),
    'POST /orders/:order_id/rewards': async () => {
      const given = await correct(`/orders/${ids.orderId}/rewards`, {
        ...points,
        role: 'referrer',
        amount: 2,
        another: true,
      });
      rewardId = (given.data as { id: string }).id;
      return given;
    },
    'POST /rewards/:reward_id/adjust': async () => {
      await hearRevocations();
      const adjusted = await correct(`/rewards/${rewardId}/adjust`, { amount: 3 });
      rewardId = (adjusted.data as { id: string }).id;
      return adjusted;
    },
    'POST /rewards/:reward_id/revoke': () => correct(`/rewards/${rewardId}/revoke`),
    'GET /orders.csv': () => browser.get(`/orders.csv?member_id=${ids.memberId}`),
    'GET /performance.csv': () => browser.get('/performance.csv?period=today'),
    'GET /rewards.csv': () => browser.get(`/rewards.csv?member_id=${ids.memberId}`),
    'GET /members.csv': () => browser.get(`/members.csv?search=${ids.memberId}`),
    'GET /referrals.csv': () => browser.get('/referrals.csv'),
    'POST /referrals/:id/accept': async () => {
      await needsReview();
      return browser.post(`/referrals/${ids.referralId}/accept`);
    },
    'POST /referrals/:id/reject': async () => {
      await needsReview();
      return browser.post(`/referrals/${ids.referralId}/reject`);
    },
    'POST /members/:member_id/merge': async () => {
      const former = { memberId: 'audit-former', code: 'AUDT3456', lookAlike: new Uint8Array(32) };
      await database.member.create({ data: { merchantId: ids.merchantId, ...former } });
      const body = { reason: 'two accounts', key: 'merge', dry_run: false };
      return browser.post('/members/audit-former/merge', { ...body, into_member_id: 'audit-survivor' });
    },
    'POST /members/:member_id/referrer': async () => {
      const members = ['audit-first', 'audit-referrer'].map((memberId, index) => ({
        ...{ merchantId: ids.merchantId, memberId },
        ...{ code: `AUDT567${index + 2}`, lookAlike: new Uint8Array([index]) },
      }));
      await database.member.createMany({ data: members });
      const body = { reason: 'came from them', key: 'first', dry_run: false };
      return browser.post('/members/audit-first/referrer', { ...body, referrer: 'audit-referrer' });
    },
    'POST /referrals/:id/move': async () => {
      const body = { reason: 'wrong code', dry_run: false };
      const other = { memberId: 'audit-other', code: 'AUDT2345', lookAlike: new Uint8Array(32) };
      await database.member.create({ data: { merchantId: ids.merchantId, ...other } });
      return browser.post(`/referrals/${ids.referralId}/move`, {
        ...body,
        referrer: 'audit-other',
        key: 'move',
      });
    },
    // The live side has another rule by now.
    'POST /program/copy-live': () => browser.post('/test/program/copy-live'),
    'POST /samples': async () => {
      const answer = await browser.post('/test/samples');
      sample = (answer.data as { order_id: string }).order_id;
      return answer;
    },
    'POST /samples/:order_id/end-hold': () => browser.post(`/test/samples/${sample}/end-hold`),
    'DELETE /test-data': () => browser.send('DELETE', '/test/test-data'),
  };
  return { calls, another, email };
}

/** Serves the proof that a merchant controls an origin. */
async function withSite<T>(merchantId: string, run: (origin: string) => Promise<T>): Promise<T> {
  const site = createServer((_request, response) => response.end(merchantId));
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
  try {
    return await run(`http://127.0.0.1:${(site.address() as AddressInfo).port}`);
  } finally {
    await new Promise((resolve) => site.close(resolve));
  }
}
