import { waitFor } from '@rewardhook/local-stack';
import type { Admin } from '@rewardhook/local-stack';
import type { Shop } from './open-shop.ts';
import type { SentOrders } from './send-orders.ts';

/** What of `order show` the demo tells. Times are ISO 8601. */
interface ShownOrder {
  order: { createdAt: string };
  decisions: { outcome: string; reason: string; createdAt: string }[];
  rewards: { role: string; memberId: string; amount: number; unit: string }[];
  deliveries: { id: string; state: string }[];
  waitsForJudgement: boolean;
}

/** The reward goes to the referee and to the referrer, and each is told to both webhook URLs. */
const expectedWebhooks = 4;

/** Waits until the orders have gone through all stages. @throws with what has come, when they do not in 30 s */
export async function waitForWebhooks({ receiver }: Shop): Promise<void> {
  const { received } = receiver;
  const arrived = () => new Set(received.map(({ deliveryId }) => deliveryId)).size;
  await waitFor(() => arrived() >= expectedWebhooks, { deadlineMs: 30_000, everyMs: 5 }).catch(() => {
    throw new Error(`Of ${expectedWebhooks} webhooks ${arrived()} arrived within 30 s: see .local/demo/logs`);
  });
}

/** Tells the way of the orders through the stages, with times counted from the request. */
export async function tellStages(
  admin: Admin,
  shop: Shop,
  sent: SentOrders,
  say: (line: string) => void,
): Promise<void> {
  const after = (time: string | number | Date) => afterMs(new Date(time).getTime() - sent.sentAt);
  say(`  ingest    ${afterMs(sent.answeredMs)}  ${sent.answer}`);
  for (const [index, { orderId, about }] of sent.orders.entries()) {
    const { order, decisions, rewards } = await showWhenJudged(admin, shop.merchantId, orderId);
    // One job stores all orders of a request.
    if (index === 0) say(`  sync      ${after(order.createdAt)}  ${sent.orders.length} orders stored`);
    const decision = decisions.at(-1);
    const when = decision ? after(decision.createdAt) : ''.padStart(7);
    const judged = decision ? decision.reason : 'nothing to judge';
    say(`  ${index === 0 ? 'evaluate' : '        '}  ${when}  ${orderId}  ${judged.padEnd(17)} ${about}`);
    for (const { memberId, role, amount, unit } of rewards) {
      say(`${' '.repeat(29)}→ ${amount.toLocaleString('en')} ${unit} for ${memberId} (${role})`);
    }
  }
  shop.receiver.received.forEach((webhook, index) => {
    const member = (JSON.parse(webhook.rawBody.toString()) as { data: { member_id: string } }).data.member_id;
    const verdict = webhook.verified ? '✓ signature verified' : '✗ WRONG SIGNATURE';
    const told = `${webhook.event} for ${member}`.padEnd(23);
    say(
      `  ${index === 0 ? 'deliver ' : '        '}  ${after(webhook.receivedAt)}  ${webhook.path.padEnd(9)} ${told} ${verdict}  ${webhook.deliveryId}`,
    );
  });
}

/** @throws when what arrived is not what was to arrive, or the service has it otherwise in its books */
export async function checkWebhooks(admin: Admin, shop: Shop): Promise<void> {
  const { received } = shop.receiver;
  const wrong = received.filter(({ verified, event }) => !verified || event !== 'reward.issue');
  if (wrong.length > 0)
    throw new Error(`${wrong.length} of ${received.length} webhooks are not as they should be`);
  for (const url of shop.webhookUrls) {
    const { pathname } = new URL(url);
    const ids = new Set(received.filter(({ path }) => path === pathname).map(({ deliveryId }) => deliveryId));
    if (ids.size !== expectedWebhooks / shop.webhookUrls.length)
      throw new Error(`${url} got ${ids.size} different webhooks`);
  }
  await waitFor(
    async () => {
      const { deliveries } = await admin<{ deliveries: { state: string }[] }>(
        'delivery',
        'list',
        '--merchant',
        shop.merchantId,
      );
      return deliveries.length === expectedWebhooks && deliveries.every(({ state }) => state === 'delivered');
    },
    { what: 'the entry of every delivery as delivered' },
  );
}

function showWhenJudged(admin: Admin, merchantId: string, orderId: string): Promise<ShownOrder> {
  const show = async () => {
    const shown = await admin<ShownOrder>('order', 'show', '--merchant', merchantId, '--order', orderId);
    return shown.waitsForJudgement ? undefined : shown;
  };
  return waitFor(show, { what: `the judgement of ${orderId}`, deadlineMs: 20_000 });
}

function afterMs(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`.padStart(7);
}
