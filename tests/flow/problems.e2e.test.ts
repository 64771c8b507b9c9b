import { publishProgram } from '@rewardhook/database';
import { countPromises } from '@rewardhook/database/operations';
import { parseTerms } from '@rewardhook/rewards';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { openCleanup } from '../harness/cleanup.ts';
import { openProblemSearch } from '../harness/open-problem-search.ts';
import { startFlow } from '../harness/start-flow.ts';
import { startWorkers } from '../harness/start-workers.ts';
import { syncPath } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

jest.setTimeout(60_000);

interface Problem {
  id: string;
  kind: string;
  subject: string | null;
  number: number;
  failures: number | null;
  oldest_at: string | null;
  openings: number;
  last_error: string | null;
  resolved_at: string | null;
}

describe('A problem', () => {
  let flow: Flow;
  const cleanup = openCleanup();
  let merchant: Merchant;
  let find: (options?: { count?: boolean }) => Promise<void>;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    cleanup.add(() => flow.close());
    // Without housekeeping, which looks too: what it has found before a change it can record after it.
    const stages = ['sync', 'reward-evaluation', 'webhook-delivery'] as const;
    const workers = await startWorkers(flow.environment, { stages: [...stages] });
    cleanup.add(() => workers.close());
    find = await openProblemSearch(flow, cleanup);
  });
  afterAll(() => cleanup.run());
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  const list = async (options: Record<string, string> = {}) => {
    const { problems } = await flow.admin('problem list', { merchant: merchant.id, ...options });
    return problems as Problem[];
  };
  /** The open problems of the merchant after a look. */
  const open = async () => {
    await find();
    return (await list()).map(({ kind, subject, number, last_error }) => [kind, subject, number, last_error]);
  };
  const endpointId = async () =>
    (await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } })).id;
  const oldestDelivery = async () => {
    const [row] = await flow.database.$queryRaw<{ oldest: string }[]>`
      SELECT rules.iso_utc(min(created_at)) AS oldest FROM deliveries WHERE merchant_id = ${merchant.id}`;
    return row?.oldest;
  };
  /** Lets ten minutes pass since problems were last seen, and since the last attempts. */
  const passTenMinutes = async () => {
    await flow.database
      .$executeRaw`UPDATE problems SET last_seen_at = last_seen_at - interval '11 minutes' WHERE merchant_id = ${merchant.id}`;
    await flow.database
      .$executeRaw`UPDATE attempts SET started_at = started_at - interval '11 minutes' WHERE merchant_id = ${merchant.id}`;
  };
  const both = { 'reward.issue': 'reward.issue', all: 'reward.issue,reward.revoke' };

  /** Links friends and sends an order of each: two rewards for each friend. */
  async function reward(friends: number): Promise<void> {
    const ids = Array.from({ length: friends }, (_, index) => `friend${index}`);
    for (const id of ids) await flow.link(merchant, 'jisu', id);
    await flow.sync(merchant, ...ids.map((id) => buildOrder({ order_id: `of-${id}`, member_id: id })));
    // A webhook that is disabled at once has an event of its own.
    const issued = { merchantId: merchant.id, type: 'reward.issue' };
    await waitFor(async () => (await flow.database.event.count({ where: issued })) === friends * 2, {
      deadlineMs: 20_000,
      what: 'the rewards',
    });
  }

  it('opens when a webhook fails, closes 10 minutes after it works again, and returns as the same one', async () => {
    let status = 500;
    await flow.receiver(merchant, both.all, { respond: () => status });
    await reward(6);
    const breakerOpen = async () =>
      (await flow.database.endpoint.findFirst({ where: { merchantId: merchant.id } }))?.breakerOpenedAt !==
      null;
    await waitFor(breakerOpen, { deadlineMs: 20_000, what: 'the breaker' });
    // All that waits, not the failures in a row.
    expect(await open()).toEqual([['webhook_failing', await endpointId(), 12, 'status 500']]);
    const [{ failures, oldest_at } = { failures: null, oldest_at: null }] = await list();
    expect(failures).toBeGreaterThanOrEqual(7);
    expect(oldest_at).toBe(await oldestDelivery());

    status = 200;
    await flow.database.endpoint.updateMany({
      where: { merchantId: merchant.id },
      data: { sendAfter: new Date() },
    });
    await waitFor(
      async () =>
        (await flow.database.delivery.count({ where: { merchantId: merchant.id, state: 'pending' } })) === 0,
      { deadlineMs: 30_000, what: 'the deliveries' },
    );
    expect(await open()).toHaveLength(1);
    await flow.database
      .$executeRaw`UPDATE problems SET last_seen_at = last_seen_at - interval '11 minutes' WHERE merchant_id = ${merchant.id}`;
    // There were failed attempts in the last ten minutes.
    expect(await open()).toHaveLength(1);
    await passTenMinutes();
    expect(await open()).toEqual([]);
    const [closed] = await list({ all: 'true' });
    expect(closed).toMatchObject({ openings: 1, resolved_at: expect.stringMatching(/Z$/) });

    await flow.database.endpoint.updateMany({
      where: { merchantId: merchant.id },
      data: { breakerOpenedAt: new Date() },
    });
    await find();
    expect(await list({ all: 'true' })).toMatchObject([{ id: closed?.id, openings: 2, resolved_at: null }]);
  });

  it('opens at three failures in a row over a minute, which a shop with few orders has without an open breaker', async () => {
    await flow.receiver(merchant, both.all, { respond: () => 503 });
    await reward(2);
    const failures = async () =>
      (await flow.database.endpoint.findFirst({ where: { merchantId: merchant.id } }))?.failuresInARow ?? 0;
    await waitFor(async () => (await failures()) >= 3, { deadlineMs: 20_000, what: 'three failures' });
    expect(await open()).toEqual([]);
    await flow.database
      .$executeRaw`UPDATE endpoints SET failing_since = failing_since - interval '1 minute', breaker_opened_at = NULL WHERE merchant_id = ${merchant.id}`;
    expect(await open()).toEqual([['webhook_failing', await endpointId(), 4, 'status 503']]);
  });

  it('opens when a receiver answers 410, with the number of rewards that are held', async () => {
    await flow.receiver(merchant, both.all, { respond: () => 410 });
    await reward(1);
    const disabled = async () =>
      (await flow.database.endpoint.findFirst({ where: { merchantId: merchant.id } }))?.disabledAt !== null;
    await waitFor(disabled, { deadlineMs: 20_000, what: 'a disabled webhook' });
    const [found] = await open();
    expect(found).toEqual(['webhook_disabled', await endpointId(), expect.any(Number), 'receiver_gone']);
    expect(await list()).toMatchObject([{ failures: null, oldest_at: await oldestDelivery() }]);
  });

  it('opens when rewards have no retries left; acknowledged it is in no count of what is late', async () => {
    await flow.receiver(merchant, both.all, { respond: () => 500 });
    await reward(1);
    await waitFor(
      async () => {
        await flow.database.delivery.updateMany({
          where: { merchantId: merchant.id, state: 'pending' },
          data: { scheduleStep: 100, nextAttemptAt: new Date() },
        });
        const where = { merchantId: merchant.id, state: 'exhausted' };
        return (await flow.database.delivery.count({ where })) === 2;
      },
      { deadlineMs: 30_000, everyMs: 500, what: 'exhausted deliveries' },
    );
    expect(await open()).toContainEqual(['deliveries_exhausted', await endpointId(), 2, null]);

    const [exhausted] = await list({ kind: 'deliveries_exhausted' });
    expect(exhausted).toMatchObject({ failures: null, oldest_at: await oldestDelivery() });
    const problem = exhausted?.id ?? '';
    const holders = async () => {
      await countPromises(flow.database);
      const where = { merchantId: merchant.id };
      return (await flow.database.openPromise.findMany({ where })).map(({ holder }) => holder);
    };
    expect(await holders()).toEqual(['exhausted']);
    await flow.admin('problem acknowledge', { problem, until: '2099-01-01T00:00:00+09:00' });
    expect(await holders()).toEqual(['acknowledged']);
    await expect(
      flow.admin('problem acknowledge', { problem, until: '2001-01-01T00:00:00+09:00' }),
    ).rejects.toThrow('--until must be in the future.');
  });

  it('opens when confirmed rewards have no webhook', async () => {
    await reward(1);
    expect(await open()).toEqual([['no_webhook', null, 2, null]]);
    expect(await list()).toMatchObject([{ failures: null, oldest_at: null }]);
  });

  it('about promises is neither opened nor closed by a count that is older than a minute', async () => {
    const age = () =>
      flow.database.$executeRaw`UPDATE promise_counts SET counted_at = counted_at - interval '61 seconds'`;
    await reward(1);
    await countPromises(flow.database);
    await age();
    await find({ count: false });
    expect(await list()).toEqual([]);
    expect(await open()).toHaveLength(1);
    await flow.database.openPromise.deleteMany({ where: { merchantId: merchant.id } });
    await passTenMinutes();
    await age();
    await find({ count: false });
    expect(await list()).toHaveLength(1);
    await flow.database.$executeRaw`UPDATE promise_counts SET counted_at = clock_timestamp()`;
    await find({ count: false });
    expect(await list()).toEqual([]);
  });

  it('opens when a webhook does not receive revocations, and rewards are revoked', async () => {
    await flow.receiver(merchant, 'reward.issue');
    await reward(1);
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'of-friend0', member_id: 'friend0', cancelled_at: new Date().toISOString() }),
    );
    await waitFor(async () => (await open()).length > 0, { what: 'the problem' });
    expect(await open()).toEqual([['revocations_not_subscribed', await endpointId(), 2, null]]);
  });

  it('opens when requests of a merchant are refused, by error code', async () => {
    for (let sent = 0; sent < 12; sent += 1)
      await flow.call(syncPath, { orders: [{ order_id: 1 }] }, { key: merchant.secretKey });
    await waitFor(async () => (await open()).length > 0, {
      deadlineMs: 20_000,
      everyMs: 500,
      what: 'the problem',
    });
    expect(await open()).toEqual([['requests_refused', 'invalid_request', 12, 'invalid_request']]);
  });

  it('opens when many more orders than before are of members without a referrer', async () => {
    const friends = Array.from({ length: 60 }, (_, index) => `friend${index}`);
    for (const friend of friends.slice(0, 50)) await flow.link(merchant, 'jisu', friend);
    await flow.syncAndSettle(merchant, ...friends.map((member_id) => buildOrder({ member_id })));
    await flow.database
      .$executeRaw`UPDATE orders SET created_at = now() - interval '2 hours' WHERE merchant_id = ${merchant.id}`;
    expect((await open()).map(([kind]) => kind)).toEqual(['no_webhook']);
    const strangers = Array.from({ length: 60 }, (_, index) => buildOrder({ member_id: `stranger${index}` }));
    await flow.syncAndSettle(merchant, ...strangers);
    expect(await open()).toContainEqual(['orders_without_referrer', null, 60, null]);
  });

  it('opens when referrals wait for a review', async () => {
    await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
    const { body } = await flow.boot(merchant, { user_id: 'ann' });
    const referral_code = body.data['referral_code'];
    await flow.boot(merchant, { user_id: 'bob', user_hash: undefined, referral_code });
    expect(await open()).toEqual([['referrals_to_review', null, 1, null]]);
  });

  it('opens when 90 % of the budget is used', async () => {
    await flow.receiver(merchant, both.all);
    await publishProgram(flow.database, merchant.id, parseTerms({ referrer: null, budget: 30_000 }));
    const members = Array.from({ length: 9 }, (_, index) => `friend${index}`);
    for (const member of members) await flow.link(merchant, 'jisu', member);
    await flow.syncAndSettle(merchant, ...members.map((member_id) => buildOrder({ member_id })));
    await waitFor(async () => (await open()).length > 0, { deadlineMs: 20_000, what: 'the problem' });
    expect(await open()).toEqual([['budget_nearly_used', null, 90, null]]);
  });

  it('opens when the last signing key expires soon', async () => {
    await flow.database.signingKey.updateMany({
      where: { merchantId: merchant.id },
      data: { expiresAt: new Date(Date.now() + 3 * 86_400_000) },
    });
    expect(await open()).toEqual([['signing_key_expiring', expect.stringMatching(/^/), 1, null]]);
    await flow.admin('signing-key rotate', { merchant: merchant.id });
    await passTenMinutes();
    expect(await open()).toEqual([]);
  });

  it('of the operator opens for what doctor finds, and the merchant does not see it', async () => {
    await flow.database.dueBatch.create({
      data: {
        merchantId: merchant.id,
        orderIds: ['A-1'],
        memberIds: ['a'],
        orderVersions: [1n],
        parkedAt: new Date(),
        failures: 3,
        lastError: 'a text with a member id',
      },
    });
    expect(await open()).toEqual([]);
    const { problems } = await flow.admin('problem list', { merchant: 'operator' });
    expect(problems).toContainEqual(
      expect.objectContaining({ kind: 'finding', subject: 'evaluationsParked', number: 1, last_error: null }),
    );
    expect(await flow.admin('doctor', {})).toMatchObject({
      problems: expect.arrayContaining([expect.anything()]),
    });
    await flow.database.dueBatch.deleteMany({ where: { merchantId: merchant.id } });
  });
});
