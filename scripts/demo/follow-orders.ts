import { openAdmin, readProgress } from '@rewardhook/local-stack';
import type { ReceivedWebhook, Say, Stack } from '@rewardhook/local-stack';
import type { DemoMerchant } from './open-demo-merchant.ts';
import type { SentOrders } from './send-orders.ts';

/** The fields of `order show` that the demo prints. Times are ISO 8601. */
interface ShownOrder {
  order: { createdAt: string };
  decisions: { outcome: string; reason: string; createdAt: string }[];
  rewards: { role: string; memberId: string; amount: number; unit: string }[];
  deliveries: { id: string; state: string }[];
  waitsForEvaluation: boolean;
}

/** Two rewards, for the referee and for the referrer, each to both webhook URLs. */
const expectedWebhooks = 4;

/** Waits until all webhooks have arrived. */
export async function waitForWebhooks(
  stack: Stack,
  merchant: DemoMerchant,
  { orders }: SentOrders,
): Promise<void> {
  const arrived = () => new Set(webhooksOf(merchant, orders).map(({ deliveryId }) => deliveryId)).size;
  const orderIds = orders.map(({ orderId }) => orderId);
  const look = async (say: Say) => {
    if (arrived() >= expectedWebhooks) return true;
    const { stored, due } = await readProgress(stack.databaseUrl, merchant.merchantId, { orderIds });
    const behind = stored < orders.length ? 'sync' : due > 0 ? 'reward-evaluation' : 'webhook-delivery';
    say(
      `${stored} of ${orders.length} orders stored, ${due} to evaluate, ${arrived()} of ${expectedWebhooks} webhooks received`,
      behind,
    );
    return false;
  };
  await stack.waitWhileMoving('the webhooks', look);
}

/** Prints the stages that the orders went through, with times since the request. */
export async function printStages(
  stack: Stack,
  merchant: DemoMerchant,
  sent: SentOrders,
  print: (line: string) => void,
): Promise<void> {
  const after = (time: string | number | Date) => afterMs(new Date(time).getTime() - sent.sentAt);
  print(`  ingest    ${afterMs(sent.answeredMs)}  ${sent.answer}`);
  for (const [index, { orderId, about }] of sent.orders.entries()) {
    const { order, decisions, rewards } = await showWhenEvaluated(stack, merchant.merchantId, orderId);
    // One job stores all orders of a request.
    if (index === 0) print(`  sync      ${after(order.createdAt)}  ${sent.orders.length} orders stored`);
    const decision = decisions.at(-1);
    const when = decision ? after(decision.createdAt) : ''.padStart(7);
    const reason = decision ? decision.reason : 'not evaluated';
    print(`  ${index === 0 ? 'evaluate' : '        '}  ${when}  ${orderId}  ${reason.padEnd(17)} ${about}`);
    for (const { memberId, role, amount, unit } of rewards) {
      print(`${' '.repeat(29)}→ ${amount.toLocaleString('en')} ${unit} for ${memberId} (${role})`);
    }
  }
  webhooksOf(merchant, sent.orders).forEach((webhook, index) => {
    const { member_id: member } = dataOf(webhook);
    const signature = webhook.verified ? '✓ signature verified' : '✗ INVALID SIGNATURE';
    const event = `${webhook.event} for ${member}`.padEnd(23);
    print(
      `  ${index === 0 ? 'deliver ' : '        '}  ${after(webhook.receivedAt)}  ${webhook.path.padEnd(9)} ${event} ${signature}  ${webhook.deliveryId}`,
    );
  });
}

/**
 * Checks the webhooks of the orders, and returns their number.
 * @throws when other ones than expected arrived, or a delivery is not stored as delivered
 */
export async function checkWebhooks(
  stack: Stack,
  merchant: DemoMerchant,
  { orders }: SentOrders,
): Promise<number> {
  const received = webhooksOf(merchant, orders);
  const wrong = received.filter(({ verified, event }) => !verified || event !== 'reward.issue');
  if (wrong.length > 0)
    throw new Error(
      `${wrong.length} of ${received.length} webhooks have an invalid signature or the wrong event`,
    );
  for (const url of merchant.webhookUrls) {
    const { pathname } = new URL(url);
    const ids = new Set(received.filter(({ path }) => path === pathname).map(({ deliveryId }) => deliveryId));
    if (ids.size !== expectedWebhooks / merchant.webhookUrls.length)
      throw new Error(`${url} got ${ids.size} different webhooks`);
  }
  const arrived = new Set(received.map(({ deliveryId }) => deliveryId));
  const rewarded = new Set(received.map((webhook) => dataOf(webhook).order.order_id));
  await stack.waitWhileMoving('the state "delivered" of every delivery', async (say) => {
    const shown = await Promise.all(
      [...rewarded].map((orderId) => showWhenEvaluated(stack, merchant.merchantId, orderId)),
    );
    const deliveries = shown.flatMap((order) => order.deliveries).filter(({ id }) => arrived.has(id));
    const delivered = deliveries.filter(({ state }) => state === 'delivered').length;
    say(`${delivered} of ${expectedWebhooks}`, 'webhook-delivery');
    return delivered === expectedWebhooks;
  });
  return received.length;
}

/** The webhooks about some orders that arrived at the URLs that work. */
function webhooksOf(
  { receiver, webhookUrls }: DemoMerchant,
  orders: SentOrders['orders'],
): ReceivedWebhook[] {
  const paths = new Set(webhookUrls.map((url) => new URL(url).pathname));
  const ids = new Set(orders.map(({ orderId }) => orderId));
  return receiver.received.filter(
    (webhook) => paths.has(webhook.path) && ids.has(dataOf(webhook).order.order_id),
  );
}

const dataOf = ({ rawBody }: ReceivedWebhook) =>
  (JSON.parse(rawBody.toString()) as { data: { member_id: string; order: { order_id: string } } }).data;

function showWhenEvaluated(stack: Stack, merchantId: string, orderId: string): Promise<ShownOrder> {
  const admin = openAdmin(stack.environment);
  return stack.waitWhileMoving(`the evaluation of ${orderId}`, async (say) => {
    const shown = await admin<ShownOrder>('order', 'show', '--merchant', merchantId, '--order', orderId);
    say('stored', 'reward-evaluation');
    return shown.waitsForEvaluation ? undefined : shown;
  });
}

function afterMs(milliseconds: number): string {
  return `${Math.round(milliseconds)} ms`.padStart(7);
}
