import { buildOrder, waitFor } from '@rewardhook/testing';
import { openConsole } from '../../apps/console/testing/open-console.ts';
import type { RunningConsole } from '../../apps/console/testing/open-console.ts';
import type { CredentialsView, SessionView, TeamView } from '../../apps/console/src/api-types.ts';
import { openCleanup } from '../harness/cleanup.ts';
import { openProblemSearch } from '../harness/open-problem-search.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { dataOf as tablesWithData } from './data-of.ts';
import { refuseRequests } from './refuse-requests.ts';

let flow: Flow;
let running: RunningConsole;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
});
afterAll(async () => {
  await running?.close();
  await flow?.close();
});

const wipeLive = ({ id }: Merchant) => flow.admin('merchant wipe-live --yes', { merchant: id });

const dataOf = (merchantId: string) => tablesWithData(flow.database, merchantId);

/** Links two members and rewards an order of the referee. */
async function reward(merchant: Merchant, orderId: string): Promise<void> {
  await flow.link(merchant, `${orderId}-referrer`, `${orderId}-referee`);
  await flow.syncAndSettle(merchant, buildOrder({ order_id: orderId, member_id: `${orderId}-referee` }));
}

/** Waits for attempts to send the rewards of a merchant. */
const attempted = ({ id }: Merchant, number = 2) =>
  waitFor(async () => (await flow.database.attempt.count({ where: { merchantId: id } })) >= number, {
    deadlineMs: 20_000,
    what: 'the attempts',
  });

describe('The deletion of live data', () => {
  it('deletes what a newcomer has tried, under a new id, and keeps keys, webhooks, team, sessions and the test side', async () => {
    const { browser, email, merchant } = await running.signUp('Newcomer');
    await flow.receiver(merchant, 'reward.issue', { respond: () => 500 });
    await reward(merchant, 'tried');
    await attempted(merchant);
    const credentials = async () => (await browser.get('/credentials')).data as CredentialsView;
    const idsOf = ({ api_keys: keys, signing_keys: signing }: CredentialsView) =>
      [...keys, ...signing].map(({ id }) => id);
    const webhooks = async () =>
      (await flow.database.endpoint.findMany({ where: { url: { contains: '/hook' } } })).map(({ id }) => id);
    const before = [idsOf(await credentials()), await webhooks()];
    const testSide = await flow.database.merchant.findUnique({ where: { liveMerchantId: merchant.id } });

    const { merchantId, formerId } = (await wipeLive(merchant)) as { merchantId: string; formerId: string };
    expect(formerId).toBe(merchant.id);
    const moved = { ...merchant, id: merchantId };
    await waitFor(
      async () => {
        const shown = await flow.admin('merchant show', { merchant: merchantId });
        const { wipeRequestedAt, wipedAt } = shown['merchant'] as Record<string, string | null>;
        return wipeRequestedAt === null && wipedAt !== null;
      },
      { deadlineMs: 20_000, what: 'the deletion' },
    );
    expect([await dataOf(formerId), await dataOf(merchantId)]).toEqual([[], []]);

    const { merchant: shown } = (await browser.get('/session')).data as SessionView;
    expect(shown).toMatchObject({ id: merchantId, name: 'Newcomer' });
    expect([idsOf(await credentials()), await webhooks()]).toEqual(before);
    expect(((await browser.get('/team')).data as TeamView).members.map((one) => one.email)).toEqual([email]);
    expect((await browser.get('/test/home')).status).toBe(200);
    const after = await flow.database.merchant.findUnique({ where: { liveMerchantId: merchantId } });
    expect(after?.id).toBe(testSide?.id);
    const audit = (await browser.get('/audit?limit=100')).data as { items: { action: string }[] };
    expect(audit.items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['user.signed_up', 'live_data.wiped']),
    );

    // The same key and signing secret as before.
    const receiver = await flow.receiver(moved, 'reward.issue', {}, '/real');
    await reward(moved, 'tried');
    const [first] = await Promise.all([
      receiver.waitFor(({ event }) => event === 'reward.issue'),
      waitFor(async () => (await flow.database.order.count({ where: { merchantId } })) === 1, {
        what: 'the order',
      }),
    ]);
    expect(first.verified).toBe(true);
    expect(await dataOf(formerId)).toEqual([]);
  }, 60_000);

  it('leaves no problem under the former id, and what is still true of a webhook is one under the new id', async () => {
    const cleanup = openCleanup();
    const find = await openProblemSearch(flow, cleanup);
    const merchant = await flow.openMerchant();
    await flow.receiver(merchant, 'reward.issue,reward.revoke', { respond: () => 410 });
    await reward(merchant, 'gone');
    const endpoint = () => flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } });
    await waitFor(async () => (await endpoint()).disabledAt, {
      deadlineMs: 20_000,
      what: 'a disabled webhook',
    });
    await refuseRequests(flow, merchant);
    const problemsOf = async (merchantId: string) => {
      const rows = await flow.database.problem.findMany({ where: { merchantId }, orderBy: { kind: 'asc' } });
      return rows.map(({ kind, subject, number }) => [kind, subject, number]);
    };
    const { id: endpointId } = await endpoint();
    await find();
    expect(await problemsOf(merchant.id)).toEqual([
      ['requests_refused', 'invalid_request', 12],
      ['webhook_disabled', endpointId, 2],
    ]);

    const { merchantId } = await wipeLive(merchant);
    const isDone = async () => {
      // The requests are still counted under the former id.
      await find();
      const { finishedAt } = await flow.database.wipe.findUniqueOrThrow({
        where: { merchantId: merchant.id },
      });
      return finishedAt !== null;
    };
    await waitFor(isDone, { deadlineMs: 20_000, what: 'the deletion' });
    await find();
    await cleanup.run();
    expect(await problemsOf(merchant.id)).toEqual([]);
    expect(await problemsOf(String(merchantId))).toEqual([['webhook_disabled', endpointId, 0]]);
  }, 60_000);

  it('is refused, and changes nothing, once a reward.issue was answered with 2xx, also when it was sent again since', async () => {
    const merchant = await flow.openMerchant();
    const receiver = await flow.receiver(merchant, 'reward.issue');
    await reward(merchant, 'granted');
    await waitFor(() => receiver.received.length === 2, { what: 'the webhooks' });
    const refused = () => expect(wipeLive(merchant)).rejects.toThrow('answered a reward.issue with 2xx');
    await waitFor(
      async () =>
        (await flow.database.delivery.count({ where: { merchantId: merchant.id, state: 'delivered' } })) ===
        2,
      { what: 'the deliveries' },
    );
    await refused();
    await flow.database.delivery.updateMany({
      where: { merchantId: merchant.id },
      data: { state: 'exhausted' },
    });
    await refused();
    expect(await flow.database.merchant.count({ where: { id: merchant.id } })).toBe(1);
    expect(await dataOf(merchant.id)).toContain('rewards');
    expect(
      await flow.database.auditEntry.count({ where: { action: 'live_data.wiped', merchantId: merchant.id } }),
    ).toBe(0);
  }, 30_000);

  it('is refused once a reward.issue was read from the feed, and not when an empty feed was read long before', async () => {
    const merchant = await flow.openMerchant();
    const read = () => flow.call('/api/open/events/', undefined, { key: merchant.secretKey, method: 'GET' });
    const readAt = async () =>
      (await flow.database.merchant.findUniqueOrThrow({ where: { id: merchant.id } })).feedReadAt;
    expect((await read()).status).toBe(200);
    await waitFor(async () => (await readAt()) !== null, { what: 'the record of the read' });
    await reward(merchant, 'read');
    await expect(wipeLive(merchant)).rejects.toThrow('the feed was read');
    const feedReadAt = new Date(Date.now() - 600_000);
    await flow.database.merchant.update({ where: { id: merchant.id }, data: { feedReadAt } });
    expect(await wipeLive(merchant)).toMatchObject({ wiping: true });
  }, 30_000);

  it('is refused while a reward.issue is being sent, and when nobody knows what happened to one', async () => {
    const merchant = await flow.openMerchant();
    let answer: (status: number) => void = () => undefined;
    const answered = new Promise<number>((resolve) => (answer = resolve));
    await flow.receiver(merchant, 'reward.issue', { respond: () => answered });
    await flow.link(merchant, 'referrer', 'referee');
    await flow.sync(merchant, buildOrder({ order_id: 'sending', member_id: 'referee' }));
    await waitFor(
      async () =>
        (await flow.database.delivery.count({
          where: { merchantId: merchant.id, leasedUntil: { gt: new Date() } },
        })) > 0,
      { what: 'the lease' },
    );
    await expect(wipeLive(merchant)).rejects.toThrow('is being sent');
    answer(500);
    await attempted(merchant);
    await flow.database.attempt.deleteMany({ where: { merchantId: merchant.id } });
    await expect(wipeLive(merchant)).rejects.toThrow('older than what is kept');
  }, 40_000);

  it('is not for a test side, nor for a merchant that does not exist', async () => {
    const { first_keys: _keys, session } = await running.createAccount(
      running.browser(),
      'no-test@example.com',
      'Shop',
    );
    const side = await flow.database.merchant.findUniqueOrThrow({
      where: { liveMerchantId: session.merchant.id },
    });
    for (const id of [side.id, 'mer_nobody'])
      await expect(flow.admin('merchant wipe-live --yes', { merchant: id })).rejects.toThrow(
        `There is no live merchant ${id}.`,
      );
  });
});
