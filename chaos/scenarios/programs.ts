import { setTimeout } from 'node:timers/promises';
import { inBackground } from '../in-background.ts';
import { now } from '../ledger/clock.ts';
import type { Random } from '../random.ts';
import { makeOrder } from '../shop/make-order.ts';
import { waitUntilDecided } from '../shop/member-calls.ts';
import { readList } from '../shop/observe-shop.ts';
import type { ObservedReward } from '../shop/observe-shop.ts';
import type { Rule, Shop } from '../shop/open-shop.ts';
import type { Service } from '../service/open-service.ts';
import type { Scenario } from './scenario.ts';

const percent = (rate: number): Rule => ({
  trigger: 'every_order',
  referee: { type: 'points', unit: 'points', amount: { kind: 'percent', rate } },
  referrer: { type: 'points', unit: 'points', amount: { kind: 'fixed', value: Math.round(rate * 100) } },
  minimumPaidAmount: Math.round(rate * 10_000),
});

/** Rules are replaced, and a shop is paused and resumed by the operator, while its orders are evaluated. */
export const programs: Scenario = {
  name: 'programs',
  what: 'Versions of a rule are published, and the operator pauses and resumes the shop, while orders are evaluated',
  situation:
    'orders were evaluated under each of two versions, and rewards were confirmed while the shop was paused',
  besideFaults: false,
  async run({ service, shop: openShop, round, random, reached }) {
    const shop = await openShop('shop', { rule: percent(1) });
    const members = Array.from({ length: 4 }, (_, index) => `${round}-member-${index}`);
    await Promise.all(members.map((member) => shop.link(member, `${round}-referrer`)));
    const load = sendOrders(shop, members, random);
    await shop.publish(percent(2 + random.integer(0, 3)));
    const whilePaused = await pauseAndResume(shop, service, members);
    const sent = await load();
    const [{ versions }] = await Promise.all([
      service.admin<{ versions: unknown[] }>('program', 'show', '--merchant', shop.merchantId),
      ...sent.map((id) => waitUntilDecided(shop, id)),
    ]);
    service.ledger.write({ kind: 'observed', shop: shop.name, what: 'versions', rows: versions });
    const rewards = await readList<ObservedReward>(shop, '/api/open/rewards/?limit=200', 'rewards');
    const ofRound = rewards.filter(({ order_id: id }) => sent.includes(id));
    const used = new Set(ofRound.map(({ program_version: number }) => number));
    if (whilePaused && used.size > 1) reached();
  },
};

/** Sends orders, and changes of them, until the returned function is called. That returns their ids. */
function sendOrders(shop: Shop, members: string[], random: Random): () => Promise<string[]> {
  const over = new AbortController();
  const sent: string[] = [];
  const sending = inBackground(
    Promise.all(
      members.map(async (member) => {
        for (let number = 0; !over.signal.aborted || number < 3; number += 1) {
          const order = makeOrder({ order_id: `${member}-${number}`, member_id: member });
          sent.push(order.order_id);
          await shop.syncUntilAccepted([order]);
          if (random.chance(0.5)) await waitUntilDecided(shop, order.order_id);
          await setTimeout(random.between(100, 600));
          // The version that it earned its rewards under decides about its newest state too.
          if (random.chance(0.5))
            await shop.syncUntilAccepted([{ ...order, paid_amount: random.integer(15_000, 60_000) }]);
        }
      }),
    ),
  );
  return async () => {
    over.abort();
    await sending;
    return sent;
  };
}

/** Pauses what is sent to the shop. Returns whether rewards were confirmed meanwhile. */
async function pauseAndResume(shop: Shop, { admin, ledger }: Service, members: string[]): Promise<boolean> {
  const of = ['--merchant', shop.merchantId, '--only', 'delivery'];
  const act = async (name: string, ...words: string[]) => {
    const at = now();
    await admin('merchant', ...words);
    ledger.write({ kind: 'act', at, until: now(), shop: shop.name, act: name, details: {} });
  };
  await act('pause', 'pause', ...of, '--reason', 'the harness', '--contact', 'nobody@example.com');
  const ids = members.map((member) => `${member}-paused`);
  try {
    await shop.syncUntilAccepted(
      members.map((member) =>
        makeOrder({ order_id: `${member}-paused`, member_id: member, paid_amount: 90_000 }),
      ),
    );
    const reasons = await Promise.all(ids.map((id) => waitUntilDecided(shop, id)));
    // A webhook that is sent although the shop is paused comes within this time.
    await setTimeout(2_500);
    return reasons.includes('rewarded');
  } finally {
    await act('resume', 'resume', ...of);
  }
}
