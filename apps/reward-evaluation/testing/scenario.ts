import { newId } from '@rewardhook/contract';
import type { Order } from '@rewardhook/contract';
import {
  enqueueOrdersOfReferral,
  insertMerchant,
  insertReferral,
  moveLink,
  openDatabase,
  publishProgram,
} from '@rewardhook/database';
import {
  enqueueEndedHolds,
  enqueuePaymentsReached,
  evaluateBatches,
  upsertOrders,
} from '@rewardhook/database/stages';
import { budgetOf, parseTerms, readTerms } from '@rewardhook/rewards';
import type { FlatTerms, Terms } from '@rewardhook/rewards';
import { createTestDatabase } from '@rewardhook/testing/servers';

/** Stores orders, links members and evaluates batches in a database of its own, without queues. */
export type Scenario = Awaited<ReturnType<typeof openScenario>>;

/** What the ids of a merchant's rows are derived from. */
export type MerchantIds = ReturnType<typeof newMerchantIds>;

export function newMerchantIds() {
  return {
    id: newId('mer'),
    programId: newId('prg'),
    endpointId: newId('whk'),
    idSalt: crypto.randomUUID(),
  };
}

/** Opens a scenario; `close` drops its database. */
export async function openScenario({ poolSize = 20 } = {}) {
  const test = await createTestDatabase();
  const database = openDatabase({ url: test.url, poolSize, applicationName: 'test' });
  const dueOf = async (merchantId: string) =>
    (await database.dueBatch.findMany({ where: { merchantId }, orderBy: { id: 'asc' } })).map(({ id }) => id);
  const evaluate = (merchantId: string, batchIds: string[]) =>
    evaluateBatches(database, merchantId, batchIds);

  return {
    database,
    /** The ids in `known`, and the salt of referral ids, are those of the merchant in another scenario. */
    async openMerchant(terms: FlatTerms | Terms, known?: MerchantIds): Promise<string> {
      const { id, programId, endpointId, idSalt } = known ?? newMerchantIds();
      await insertMerchant(database, {
        id,
        name: 'Shop',
        timezone: 'Asia/Seoul',
        sealedIdentitySecret: '',
        keys: [],
        signingKey: { id: newId('sgk'), sealedSecret: '' },
        program: { id: programId, terms: parseTerms(terms) },
      });
      await database.merchant.update({ where: { id }, data: { idSalt } });
      await database.endpoint.create({
        data: {
          id: endpointId,
          merchantId: id,
          url: 'https://example.com/',
          eventTypes: ['reward.issue', 'reward.revoke'],
        },
      });
      return id;
    },
    async store(merchantId: string, version: number, orders: Order[]): Promise<void> {
      await upsertOrders(database, [{ merchantId, version, orders: JSON.stringify(orders) }]);
    },
    async link(
      merchantId: string,
      referrerMemberId: string,
      refereeMemberId: string,
      source: 'boot' | 'link' = 'link',
    ): Promise<void> {
      const { referral } = await insertReferral(database, {
        merchantId,
        referrerMemberId,
        refereeMemberId,
        source,
        flags: [],
      });
      await enqueueOrdersOfReferral(database, merchantId, referral);
    },
    /** Moves a link as a person does. Returns what that takes back and gives. */
    async move(
      merchantId: string,
      referrerMemberId: string,
      refereeMemberId: string,
      fromOrderId: string | null = null,
    ) {
      const move = { merchantId, referrerMemberId, refereeMemberId, fromOrderId };
      const act = { reason: 'wrong code', by: 'operator', key: newId('evt') };
      return (await moveLink(database, { ...move, ...act })).effects!;
    },
    publish: (merchantId: string, terms: FlatTerms | Terms) =>
      publishProgram(database, merchantId, parseTerms(terms)),
    /** Ends every hold and enqueues the rewards to confirm. */
    async endHolds(merchantId: string): Promise<void> {
      await database.reward.updateMany({
        where: { merchantId, state: 'pending' },
        data: { holdDays: 0, confirmDueAt: new Date(Date.now() - 1_000), holdEnqueued: false },
      });
      await enqueueEndedHolds(database);
    },
    /** Lets every `paid_at` in the future be reached, and enqueues the orders. */
    async reachPayments(merchantId: string): Promise<void> {
      await database.order.updateMany({
        where: { merchantId, countsAsPaidAt: { not: null } },
        data: { countsAsPaidAt: new Date(Date.now() - 1_000) },
      });
      await enqueuePaymentsReached(database);
    },
    /** Evaluates one due batch, in no particular order. The others stay due, as after the end of a worker. */
    async evaluateSome(merchantId: string): Promise<void> {
      await evaluate(merchantId, (await dueOf(merchantId)).slice(0, 1));
    },
    /** Evaluates until no batch is due: those that are due at a time in one transaction, as a worker does. */
    async settle(merchantId: string): Promise<void> {
      for (let rounds = 0; rounds < 20; rounds += 1) {
        const due = await dueOf(merchantId);
        if (due.length === 0) return;
        await evaluate(merchantId, due);
      }
      throw new Error('batches are still due after 20 rounds');
    },
    async rewards(merchantId: string) {
      const rewards = await database.reward.findMany({ where: { merchantId } });
      return rewards.map((reward) => ({ ...reward, amount: Number(reward.amount) }));
    },
    /**
     * Checks the invariants of every history: one live reward per key, one event per state change, sums, caps,
     * budget.
     */
    async checkInvariants(merchantId: string): Promise<void> {
      const [rewards, orders, events, decisions, program, versions] = await Promise.all([
        this.rewards(merchantId),
        database.order.findMany({ where: { merchantId } }),
        database.event.findMany({ where: { merchantId }, orderBy: { sequence: 'asc' } }),
        database.decision.findMany({ where: { merchantId }, orderBy: { number: 'asc' } }),
        database.program.findUniqueOrThrow({ where: { merchantId } }),
        database.programVersion.findMany({ where: { merchantId }, orderBy: { version: 'asc' } }),
      ]);
      const live = rewards.filter(({ state }) => state === 'pending' || state === 'confirmed');
      expect(new Set(live.map(({ subject, role }) => `${subject} ${role}`)).size).toBe(live.length);
      for (const { orderId, holdDays, confirmDueAt } of rewards.filter(({ state }) => state === 'pending')) {
        const order = orders.find((one) => one.orderId === orderId);
        const heldFrom = Math.max(Number(order?.paidAt), Number(order?.orderDate));
        expect(Number(confirmDueAt)).toBe(heldFrom + holdDays * 86_400_000);
        expect(Number(confirmDueAt)).toBeGreaterThan(Date.now());
      }
      for (const { id, state, createdAt, confirmedAt, endedAt } of rewards) {
        const own = events.filter(({ rewardId }) => rewardId === id);
        expectAscending([createdAt, ...own.map((event) => event.createdAt)]);
        expectAscending([createdAt, confirmedAt, endedAt].filter((time) => time !== null));
        expect(own.map(({ type }) => type)).toEqual(
          {
            pending: [],
            cancelled: [],
            confirmed: ['reward.issue'],
            revoked: ['reward.issue', 'reward.revoke'],
          }[state],
        );
      }
      for (const orderId of new Set(decisions.map((decision) => decision.orderId)))
        expectAscending(
          decisions.filter((decision) => decision.orderId === orderId).map(({ createdAt }) => createdAt),
        );
      expect(Number(program.spent)).toBe(live.reduce((sum, { amount }) => sum + amount, 0));
      // A limit that is the same in all versions is never exceeded.
      const all = versions.map(({ terms }) => readTerms(terms));
      const [first] = all as [Terms];
      const budget = budgetOf(first);
      if (budget !== null && all.every((terms) => budgetOf(terms) === budget))
        expect(Number(program.spent)).toBeLessThanOrEqual(budget);
      const { total } = first.limits.referrerCap;
      if (total !== null && all.every(({ limits }) => limits.referrerCap.total === total))
        for (const { memberId } of live.filter(({ role }) => role === 'referrer'))
          expect(
            live.filter((reward) => reward.role === 'referrer' && reward.memberId === memberId).length,
          ).toBeLessThanOrEqual(total);
    },
    async close(): Promise<void> {
      await database.$disconnect();
      await test.drop();
    },
  };
}

function expectAscending(times: Date[]): void {
  expect(times).toEqual(times.toSorted((one, other) => one.getTime() - other.getTime()));
}
