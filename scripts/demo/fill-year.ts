import type { Order } from '@rewardhook/contract';
import { addWebhook, readProgress } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/local-stack';
import { callPatiently } from './call-patiently.ts';
import { moveLinks, moveOrders } from './move-into-past.ts';
import { brokenPath } from './open-demo-merchant.ts';
import type { DemoMerchant } from './open-demo-merchant.ts';
import type { CallConsole } from './open-login.ts';
import { planYear } from './plan-year.ts';
import type { PlannedLink } from './plan-year.ts';

const orders = 5_000;
/** The last orders also go to a webhook that fails. */
const ordersOfBroken = 40;
const ordersPerRequest = 500;
const dayMs = 86_400_000;

/**
 * Adds a year of orders: of referred members, returning ones and some without a referrer, under four versions of the program, with
 * cancelled, returned and corrected orders, reviews of referrals, and corrections by hand. The last orders also go to a third webhook, whose
 * receiver responds with 500.
 */
export async function fillYear(
  admin: Admin,
  stack: Stack,
  merchant: DemoMerchant,
  callConsole: CallConsole,
): Promise<void> {
  const now = Date.now();
  const { links, phases } = planYear(now, orders);
  await linkMembers(stack, merchant, links);
  await reviewReferrals(callConsole, links, new Date(now - 30 * dayMs));
  await moveLinks(stack.databaseUrl, merchant.merchantId, links);
  for (const [index, { terms, orders: placed, changed }] of phases.entries()) {
    if (terms) await callConsole('POST', '/program', { base_version: index, terms });
    const last = index === phases.length - 1 ? placed.splice(-ordersOfBroken) : [];
    await send(stack, merchant, placed);
    await settle(stack, merchant, placed, { versions: 1 });
    const lastIds = new Set(last.map((order) => order.order_id));
    const changes = changed.filter((order) => !lastIds.has(order.order_id));
    await send(stack, merchant, changes);
    await settle(stack, merchant, changes, { versions: 2 });
    if (last.length > 0) await sendToBroken(admin, stack, merchant, last);
  }
  await moveOrders(stack.databaseUrl, merchant.merchantId, phases);
  await correctRewards(callConsole);
}

/** Links the members, eight at a time. */
async function linkMembers(stack: Stack, merchant: DemoMerchant, links: PlannedLink[]): Promise<void> {
  const waiting = links.values();
  const linkNext = async () => {
    for (const { referrer, referee } of waiting)
      await post(stack, merchant, '/api/open/members/link/', {
        referrer_member_id: referrer,
        referee_member_id: referee,
      });
  };
  await Promise.all(Array.from({ length: 8 }, linkNext));
}

/** Accepts and rejects the referrals that need a review and were made before a time. The others wait for one. */
async function reviewReferrals(callConsole: CallConsole, links: PlannedLink[], before: Date): Promise<void> {
  const old = new Set(links.filter(({ linkedAt }) => linkedAt < before).map(({ referee }) => referee));
  const { items } = await callConsole<{ items: { id: string; referee_member_id: string }[] }>(
    'GET',
    '/referrals?review=pending&limit=200',
  );
  for (const [index, { id }] of items.filter((one) => old.has(one.referee_member_id)).entries())
    await callConsole('POST', `/referrals/${id}/${index % 3 === 0 ? 'reject' : 'accept'}`);
}

/** Corrects rewards of the last days by hand. */
async function correctRewards(callConsole: CallConsole): Promise<void> {
  const { items } = await callConsole<{ items: { id: string; order_id: string; role: string }[] }>(
    'GET',
    '/rewards?state=confirmed&limit=60',
  );
  const [adjusted, revoked, granted] = [items[20], items[30], items[40]];
  if (!adjusted || !revoked || !granted) throw new Error('the demo has too few rewards');
  await callConsole('POST', `/rewards/${adjusted.id}/adjust`, {
    amount: 1_000,
    exceed_limits: false,
    reason: 'A part of the order was refunded by bank transfer',
    key: 'demo-adjust',
  });
  await callConsole('POST', `/rewards/${revoked.id}/revoke`, {
    reason: 'The member asked for it',
    key: 'demo-revoke',
  });
  await callConsole('POST', `/orders/${granted.order_id}/rewards`, {
    role: granted.role,
    type: 'points',
    unit: 'points',
    amount: 2_000,
    exceed_limits: false,
    another: true,
    reason: 'An apology for a late parcel',
    key: 'demo-grant',
  });
}

async function sendToBroken(
  admin: Admin,
  stack: Stack,
  merchant: DemoMerchant,
  last: Order[],
): Promise<void> {
  const broken = await addWebhook(admin, merchant.merchantId, merchant.receiver.url + brokenPath);
  await send(stack, merchant, last);
  await settle(stack, merchant, last, { versions: 1, broken });
}

async function send(stack: Stack, merchant: DemoMerchant, batch: Order[]): Promise<void> {
  for (let from = 0; from < batch.length; from += ordersPerRequest)
    await post(stack, merchant, '/api/open/orders/sync/', {
      orders: batch.slice(from, from + ordersPerRequest),
    });
}

async function post(stack: Stack, merchant: DemoMerchant, path: string, body: unknown): Promise<void> {
  const headers = { 'x-service-key': merchant.secretKey };
  const what = `the API to accept the year of the demo (${path})`;
  const response = await callPatiently(stack, what, stack.apiUrl + path, { headers, body });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

interface Settled {
  /** How many versions of each order are stored. */
  versions: number;
  /** The id of the webhook that fails: of it, that it was tried. Without it, webhooks are not waited for. */
  broken?: string;
}

/** Waits until orders are stored and evaluated, and in the end until all webhooks are sent. */
async function settle(
  stack: Stack,
  { merchantId, receiver: { received } }: DemoMerchant,
  batch: Order[],
  { versions, broken }: Settled,
): Promise<void> {
  const orderIds = batch.map(({ order_id }) => order_id);
  await stack.waitWhileMoving('the year of the demo', async (say) => {
    const { stored, due, pending } = await readProgress(stack.databaseUrl, merchantId, {
      orderIds,
      versions,
      exceptWebhook: broken,
    });
    const behind = stored < batch.length ? 'sync' : due > 0 ? 'reward-evaluation' : 'webhook-delivery';
    say(
      `${stored} of ${batch.length} orders stored, ${due} to evaluate, ${pending} webhooks to send, ${received.length} received`,
      behind,
    );
    const isSent =
      broken === undefined || (pending === 0 && received.some(({ path }) => path === brokenPath));
    return stored === batch.length && due === 0 && isSent;
  });
}
