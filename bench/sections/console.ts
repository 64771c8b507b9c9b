import { newId } from '@rewardhook/contract';
import { openPasswords } from '../../apps/console/src/account/passwords.ts';
import { fillShop } from '../load/fill-shop.ts';
import { percentile } from '../measure/statistics.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { addWebhook } from '../stack/create-merchant.ts';

/** Calls of each read, after `warmUp` that are not counted. */
const calls = 20;
const warmUp = 2;

const atMostMs = 300;

/** The time of every read of the console, for a shop with many orders, deliveries and members. */
export async function measureConsole(bench: Bench): Promise<Figure[]> {
  const { consoleOrders: orders } = bench.settings;
  const members = orders / 10;
  bench.log(`console: filling a shop with ${orders} orders`);
  const { merchantId } = await bench.createMerchant('bench console');
  await addWebhook(bench.database, merchantId, 'https://shop.example.com/rewards');
  const { id: webhookId } = await bench.database.endpoint.findFirstOrThrow({ where: { merchantId } });
  await fillShop(bench.sql, merchantId, webhookId, { orders, members }, bench.log);
  const { id: deliveryId } = await bench.database.delivery.findFirstOrThrow({
    where: { merchantId },
    orderBy: { createdAt: 'desc' },
  });
  const read = await signIn(bench, merchantId);
  const figures: Figure[] = [];
  for (const path of readsOf({ webhookId, deliveryId, orders, members })) {
    const times: number[] = [];
    for (let call = 0; call < warmUp + calls; call += 1) {
      const startedAt = performance.now();
      await read(path);
      if (call >= warmUp) times.push(performance.now() - startedAt);
    }
    figures.push({
      section: `Console: reads of a shop with ${orders} orders, ${orders} deliveries and ${members} members, p95`,
      name: `GET ${path.replace(webhookId, '<webhook>').replace(deliveryId, '<delivery>')}`,
      value: percentile(
        times.toSorted((a, b) => a - b),
        0.95,
      ),
      unit: 'ms',
      goal: { of: 'value', atMost: atMostMs },
    });
  }
  return figures;
}

interface Ids {
  webhookId: string;
  deliveryId: string;
  orders: number;
  members: number;
}

/** Each read with the filters that a person can choose, those that find much, little and nothing. */
function readsOf({ webhookId, deliveryId, orders, members }: Ids): string[] {
  const [order, member] = [`A-${Math.floor(orders / 2)}`, `member-${Math.floor(members / 2)}`];
  const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const range = `from=${weekAgo}&until=${new Date().toISOString()}`;
  return [
    '/session',
    '/home?range=week',
    '/home?range=days30',
    '/home?range=month',
    '/problems?all=true',
    '/orders',
    `/orders?${range}`,
    `/orders?search=${order}`,
    `/orders?search=nobody`,
    '/orders?state=paid',
    '/orders?state=returned',
    '/orders?decision=no_referrer',
    '/orders?decision=stopped',
    `/orders?decision=stopped&search=A-`,
    '/orders?referred=all',
    `/orders?referred=first&${range}`,
    '/orders?referred=all&state=returned',
    `/orders/${order}`,
    '/rewards',
    '/rewards?state=revoked',
    '/rewards?state=pending',
    '/rewards?role=referrer',
    `/rewards?by=confirmed&${range}`,
    '/rewards?by=revoked',
    `/rewards?member_id=${member}`,
    '/rewards/sums',
    '/rewards/sums?state=revoked&role=referrer',
    `/rewards/sums?by=confirmed&${range}`,
    '/members',
    `/members?search=member-5`,
    `/members/${member}`,
    `/members/member-1`,
    '/referrals',
    '/referrals?review=pending',
    '/referrals?review=rejected',
    '/referrals?flagged=true',
    `/referrals?counted=true&${range}`,
    `/referrals/ref_${members}`,
    '/webhooks',
    `/webhooks/${webhookId}`,
    `/webhooks/${webhookId}/health`,
    '/deliveries',
    ...['sending', 'retrying', 'waiting', 'held', 'delivered', 'failed', 'cancelled'].map(
      (progress) => `/deliveries?progress=${progress}`,
    ),
    ...['2xx', '4xx', '5xx', '503', 'timeout'].map((answer) => `/deliveries?answer=${answer}`),
    '/deliveries?min_attempts=5',
    '/deliveries?event_type=reward.revoke',
    `/deliveries?endpoint_id=${webhookId}&${range}`,
    `/deliveries?search=${order}`,
    `/deliveries?search=${member}`,
    `/deliveries/${deliveryId}`,
    '/performance?period=today',
    '/performance?period=thirty_days',
    '/performance?period=this_year',
    '/program',
    '/program/figures',
    '/credentials',
    '/team',
    '/audit',
  ];
}

/** Signs an owner of the merchant in, and returns what reads a path of the console. */
async function signIn(bench: Bench, merchantId: string): Promise<(path: string) => Promise<void>> {
  const [email, password] = [`bench-${merchantId.toLowerCase()}@example.com`, crypto.randomUUID()];
  const passwordHash = await (await openPasswords()).hash(password);
  const user = { id: newId('usr'), email, passwordHash };
  await bench.database.user.create({
    data: { ...user, memberships: { create: { merchantId, role: 'owner' } } },
  });
  const api = `${bench.stack.consoleUrl}/api/console`;
  const response = await fetch(`${api}/sign-in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-rewardhook-console': '1',
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`the console answered ${response.status} to the sign-in`);
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  return async (path) => {
    const answer = await fetch(`${api}${path}`, { headers: { cookie } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the console answered ${answer.status} to ${path}: ${text}`);
  };
}
