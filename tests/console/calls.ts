import { defaultTerms } from '@rewardhook/rewards';
import type { MerchantIds } from './merchant-with-data.ts';

/** Fills the parameters of a path with the ids of a merchant. */
export function pathWith(path: string, ids: MerchantIds): string {
  const idOf: Record<string, string> = {
    '/webhooks/:id': ids.webhookId,
    '/deliveries/:id': ids.deliveryId,
    '/replays/:id': ids.replayId,
    '/requests/:id': ids.requestRowId,
    '/credentials/api-keys/:id': ids.keyId,
    '/credentials/signing-keys/:id': ids.signingKeyId,
    '/team/invitations/:id': ids.invitationId,
    '/team/members/:user_id': ids.userId,
    '/referrals/:id': ids.referralId,
    '/orders/:order_id': ids.orderId,
    '/rewards/:reward_id': ids.rewardId,
    '/samples/:order_id': ids.orderId,
    '/members/:member_id': ids.memberId,
    // A token gives access to anyone who has it, so the other merchant is given the id only.
    '/invitations/:token': ids.invitationId,
    '/password-resets/:token': ids.userId,
    '/sign-ups/:token': ids.userId,
    '/contact-confirmations/:token': ids.merchantId,
  };
  const start = Object.keys(idOf).find((known) => path === known || path.startsWith(`${known}/`));
  if (start !== undefined) return path.replace(start, start.replace(/:\w+/, idOf[start] as string));
  if (path.includes(':')) throw new Error(`${path} is a new route: add its parameters here`);
  return path;
}

/** Query strings that request another merchant's data; every route with a query is called with all of its path. */
export function queriesWith(path: string, ids: MerchantIds): string[] {
  if (path === '/search') return [...Object.values({ ...ids }), ids.orderId.slice(0, 4)].map((q) => `q=${q}`);
  const { merchantId, webhookId, deliveryId, eventId, orderId, memberId, code, requestId, keyId } = ids;
  const texts = [deliveryId, eventId, orderId, memberId, code];
  const searches = texts.map((id) => `search=${id}`);
  return [
    '',
    `merchant_id=${merchantId}&merchantId=${merchantId}`,
    `endpoint_id=${webhookId}`,
    `order_id=${orderId}`,
    `member_id=${memberId}`,
    `request_id=${requestId}`,
    `key_id=${keyId}`,
    ...searches,
  ];
}

/** A body for every route that takes one: valid, except that it names data of another merchant. */
export function bodiesWith(
  ids: MerchantIds,
  own: { email: string; password: string },
): Record<string, Record<string, unknown>> {
  const range = { states: ['delivered'], from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' };
  const bodies: Record<string, Record<string, unknown>> = {
    'POST /sign-up': { email: own.email },
    'POST /sign-ups/:token': { password: own.password, merchant_name: 'another one' },
    'POST /password-resets': { email: own.email },
    'POST /merchants': { merchant_name: 'another one' },
    'POST /sign-in': own,
    'POST /session/password': { password: own.password },
    'POST /session/merchant': { merchant_id: ids.merchantId },
    'POST /password': { current_password: own.password, new_password: own.password },
    'PATCH /merchant': { name: 'renamed', contact_email: 'somebody@example.com' },
    'POST /team/invitations': { email: 'somebody@example.com', role: 'owner' },
    'PATCH /team/members/:user_id': { role: 'viewer' },
    'POST /invitations/:token/accept': { password: own.password },
    'POST /password-resets/:token': { password: own.password },
    'POST /credentials/api-keys': { kind: 'secret', name: 'new' },
    'PUT /credentials/linking': {
      allowed_origins: [],
      landing_url: null,
      require_user_hash: false,
      attribution_days: 30,
    },
    'POST /credentials/identity-secret/replace': { overlap_hours: 1 },
    'POST /credentials/origins': { origin: 'https://10.0.0.1' },
    'POST /webhooks': { url: 'https://hooks.example.com/', event_types: ['reward.issue'] },
    'PATCH /webhooks/:id': { event_types: ['reward.revoke'] },
    'POST /webhooks/:id/test': {},
    'POST /webhooks/:id/replays/preview': range,
    'POST /webhooks/:id/replays': { ...range, new_ids: false, per_minute: 60 },
    'POST /replays/preview': range,
    // It selects nothing: a replay of the caller's own deliveries would change rows while they are compared.
    'POST /replays': { ...range, states: ['cancelled'], new_ids: false, per_minute: 60 },
    'POST /deliveries/retry': { ids: [ids.deliveryId] },
    'POST /signature-check': {
      headers: 'sha256=00',
      body: JSON.stringify({ id: ids.eventId, type: 'reward.issue' }),
    },
    'POST /orders/:order_id/rewards': {
      role: 'referee',
      type: 'points',
      unit: 'points',
      amount: 1,
      reason: 'another shop',
      exceed_limits: true,
      another: true,
      key: 'another shop',
    },
    'POST /rewards/:reward_id/adjust': {
      amount: 1,
      reason: 'another shop',
      exceed_limits: true,
      key: 'another shop',
    },
    'POST /rewards/:reward_id/revoke': { reason: 'another shop', key: 'another shop' },
    'POST /members/:member_id/merge': {
      into_member_id: 'another',
      reason: 'another shop',
      key: 'merge',
      dry_run: false,
    },
    'POST /members/:member_id/referrer': {
      referrer: ids.memberId,
      reason: 'another shop',
      key: 'referrer',
      dry_run: false,
    },
    'POST /referrals/:id/move': {
      referrer: ids.memberId,
      reason: 'another shop',
      key: 'move',
      dry_run: false,
    },
    'POST /program/simulate': { terms: defaultTerms },
    'POST /program': { terms: defaultTerms, base_version: 1 },
    'PUT /program/draft': { terms: defaultTerms, base_version: 1 },
  };
  // Ids of a merchant in a body are ignored.
  const foreign = { merchantId: ids.merchantId, merchant: ids.merchantId, endpoint_id: ids.webhookId };
  return Object.fromEntries(Object.entries(bodies).map(([route, body]) => [route, { ...foreign, ...body }]));
}
