import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import { createMerchant, addWebhook } from '@rewardhook/testing/servers';
import { callWithRetries, linkPath, syncPath } from './call-api.ts';
import { openStackAdmin, runStackAdmin } from './stack-admin.ts';

/** What arrived at the receiver of a merchant. */
export interface ReceivedReward {
  /** Whether the signature is valid. */
  verified: boolean | undefined;
  event: string | undefined;
  role: string;
}

/**
 * Sends an order of a linked member of a new merchant to a running service, with this number of orders of other members in the
 * same request, and waits for its webhooks: one for each role. Returns them in the order of their roles.
 */
export async function orderToWebhook(
  service: { apiUrl: string; environment: Record<string, string> },
  otherOrders = 0,
): Promise<ReceivedReward[]> {
  const { apiUrl } = service;
  const admin = openStackAdmin(service.environment);
  const shop = await createMerchant(admin, 'Shop');
  const receiver = await startReceiver({ signingSecret: shop.signingSecret });
  try {
    await addWebhook(admin, shop.merchantId, `${receiver.url}/hook`);
    const key = { key: shop.secretKey };
    const link = { referrer_member_id: 'jisu', referee_member_id: 'minsu' };
    const linked = await callWithRetries(apiUrl, linkPath, link, key);
    if (linked.status !== 201) throw new Error(`not linked: ${JSON.stringify(linked.body)}`);
    const others = Array.from({ length: otherOrders }, () => buildOrder());
    const orders = [buildOrder({ member_id: 'minsu' }), ...others];
    const accepted = await callWithRetries(apiUrl, syncPath, { orders }, key);
    if (accepted.status !== 202) throw new Error(`not accepted: ${JSON.stringify(accepted.body)}`);
    await waitFor(() => receiver.received.length >= 2, { deadlineMs: 30_000, what: 'two webhooks' });
    return receiver.received
      .map(({ verified, event, rawBody }) => ({
        verified,
        event,
        role: (JSON.parse(rawBody.toString()) as { data: { role: string } }).data.role,
      }))
      .toSorted((one, other) => (one.role < other.role ? -1 : 1));
  } finally {
    await receiver.close();
  }
}

/** What `orderToWebhook` returns when everything works. */
export const bothRewards: ReceivedReward[] = ['referee', 'referrer'].map((role) => ({
  verified: true,
  event: 'reward.issue',
  role,
}));

/**
 * Waits until doctor is clean: attempts are recorded after the webhooks arrive.
 * @throws with its last document when it does not become clean
 */
export async function waitForCleanDoctor(environment: Record<string, string>): Promise<void> {
  let last: unknown;
  const isClean = async () => {
    ({ document: last } = await runStackAdmin(environment, ['doctor']));
    return (last as { clean?: boolean } | undefined)?.clean === true;
  };
  await waitFor(isClean, { deadlineMs: 40_000, what: 'a clean doctor' }).catch((cause: unknown) => {
    throw new Error(`doctor is not clean: ${JSON.stringify(last)}`, { cause });
  });
}
