import { randomInt } from 'node:crypto';
import { createMerchant } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/local-stack';
import { buildOrder, waitFor } from '@rewardhook/testing';
import type { MerchantIds } from '../../tests/console/merchant-with-data.ts';
import type { Known } from '../requests/schema-values.ts';
import { call } from './call.ts';

/** A merchant that requests are made for, with rows of every kind. */
export interface FuzzMerchant {
  secretKey: string;
  publicKey: string;
  ids: MerchantIds;
  owner: ConsoleUser;
  /** A viewer, who is also the user of `ids`. */
  colleague: ConsoleUser;
  /** Ids of its rows, by the names of the parameters and fields that take them. */
  known: Known;
}

interface ConsoleUser {
  email: string;
  password: string;
  /** Of the user's session. */
  cookie: string;
}

const password = 'correct horse battery staple';

/** Creates a merchant with two console users, a webhook, members, orders, rewards, deliveries and a replay. */
export async function openMerchant(
  { apiUrl, consoleUrl }: Stack,
  admin: Admin,
  name: string,
  webhookUrl: string,
): Promise<FuzzMerchant> {
  const { merchantId, secretKey, publicKey } = await createMerchant(admin, name);
  const signUp = async (email: string, role: 'owner' | 'viewer'): Promise<ConsoleUser> => {
    const invited = ['--merchant', merchantId, '--email', email, '--role', role];
    const { link } = await admin<{ link: string }>('merchant', 'invite', ...invited);
    return { email, password, cookie: await acceptInvitation(consoleUrl, link) };
  };
  const owner = await signUp(`${name}@example.com`, 'owner');
  const colleague = await signUp(`colleague-of-${name}@example.com`, 'viewer');
  const ofConsole = { 'x-rewardhook-console': '1', origin: consoleUrl, cookie: owner.cookie };
  const post = <T>(path: string, body: object) =>
    call<T>(`${consoleUrl}/api/console${path}`, ofConsole, body);
  const api = <T>(path: string, body?: object) =>
    call<T>(`${apiUrl}/api/open${path}`, { 'x-service-key': secretKey }, body);

  const [referrer, referee] = [`${name}-referrer`, `${name}-referee`];
  const { id: webhookId } = await post<{ id: string }>('/webhooks', {
    url: webhookUrl,
    event_types: ['reward.issue', 'reward.revoke'],
  });
  await api('/members/link/', { referrer_member_id: referrer, referee_member_id: referee });
  const order = buildOrder({ order_id: `${name}-order`, member_id: referee });
  await api('/orders/sync/', {
    orders: [order, buildOrder({ order_id: `${name}-other`, member_id: referrer })],
  });
  const wait = <T>(path: string, rows: string, number: number) => {
    const look = async () => {
      const found = (await api<Record<string, T[]>>(path))[rows] ?? [];
      return found.length === number ? found : undefined;
    };
    return waitFor(look, { deadlineMs: 60_000, what: `${number} ${rows} of ${name}` });
  };
  const rewards = await wait<{ id: string; referral_id: string }>('/rewards/', 'rewards', 2);
  const events = await wait<{ id: string }>('/events/', 'events', 2);
  const delivered = `/webhooks/${webhookId}/deliveries/?state=delivered`;
  const deliveries = await wait<{ id: string }>(delivered, 'deliveries', 2);
  const member = await api<{ referral_code: string }>(`/members/${referrer}/`);

  const key = await post<{ id: string }>('/credentials/api-keys', { kind: 'secret', name: 'another' });
  const { invitation } = await post<{ invitation: { id: string } }>('/team/invitations', {
    email: `guest-of-${name}@example.com`,
    role: 'viewer',
  });
  const replay = await post<{ id: string }>(`/webhooks/${webhookId}/replays`, {
    from: '2026-01-01T00:00:00Z',
    until: '2036-01-01T00:00:00Z',
    states: ['delivered'],
    new_ids: true,
    per_minute: 60_000,
  });
  // The replay sends both again. Then nothing is left to be done.
  await wait(delivered, 'deliveries', 4);
  const read = <T>(path: string) => call<T>(`${consoleUrl}/api/console${path}`, ofConsole);
  const { signing_keys: keys } = await read<{ signing_keys: { id: string }[] }>('/credentials');
  const { members } = await read<{ members: { user_id: string; email: string }[] }>('/team');
  const reward = firstOf(rewards);
  // The API stores its requests every two seconds.
  const request = await waitFor(
    async () => (await read<{ items: { id: string; request_id: string }[] }>('/requests')).items.at(0),
    { what: `the requests of ${name}` },
  );
  const ids: MerchantIds = {
    merchantId,
    webhookId,
    orderId: order.order_id,
    memberId: referrer,
    code: member.referral_code,
    deliveryId: firstOf(deliveries).id,
    eventId: firstOf(events).id,
    replayId: replay.id,
    keyId: key.id,
    signingKeyId: firstOf(keys).id,
    invitationId: invitation.id,
    userId: firstOf(members.filter(({ email }) => email === colleague.email)).user_id,
    referralId: reward.referral_id,
    rewardId: reward.id,
    requestId: request.request_id,
    requestRowId: request.id,
  };
  const memberIds = [referrer, referee, `${name}-third`];
  return {
    secretKey,
    publicKey,
    ids,
    owner,
    colleague,
    known: {
      member_id: memberIds,
      user_id: memberIds,
      referrer_member_id: memberIds,
      referee_member_id: memberIds,
      from_member_id: memberIds,
      into_member_id: memberIds,
      order_id: [ids.orderId, `${name}-other`],
      reward_id: rewards.map(({ id }) => id),
      referral_id: [ids.referralId],
      event_id: [ids.eventId],
      webhook_id: [webhookId],
      delivery_id: [ids.deliveryId],
      code: [ids.code],
      referral_code: [ids.code],
    },
  };
}

function firstOf<T>([first]: T[]): T {
  if (first === undefined) throw new Error('there is no row');
  return first;
}

/** Accepts an invitation as a new user. Returns the cookie of the session. */
async function acceptInvitation(consoleUrl: string, link: string): Promise<string> {
  const token = new URL(link).pathname.split('/').at(-1);
  const response = await fetch(`${consoleUrl}/api/console/invitations/${token}/accept`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-rewardhook-console': '1',
      origin: consoleUrl,
      // New users are limited by their address.
      'x-forwarded-for': `10.0.${randomInt(256)}.${randomInt(256)}`,
    },
    body: JSON.stringify({ password }),
  });
  if (!response.ok) throw new Error(`the invitation was not accepted: ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
