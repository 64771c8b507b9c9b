import { newId } from '@rewardhook/contract';
import type { Order } from '@rewardhook/contract';
import {
  insertMerchant,
  insertReferral,
  evaluateBatch,
  enqueueEndedHolds,
  enqueueOrdersOfReferral,
  openDatabase,
  publishProgram,
  upsertOrders,
} from '@rewardhook/database';
import type { ProgramRule } from '@rewardhook/rewards';
import { createTestDatabase } from '@rewardhook/testing';
import { decide } from '../src/decide.ts';

/** A database of its own in which stored orders, links and judgements are played through, without queues. */
export type Scenario = Awaited<ReturnType<typeof openScenario>>;

/** Opens a scenario; `close` drops its database. */
export async function openScenario() {
  const test = await createTestDatabase();
  const database = openDatabase({ url: test.url, poolSize: 20, applicationName: 'test' });
  const dueOf = async (merchantId: string) =>
    (await database.dueBatch.findMany({ where: { merchantId }, orderBy: { id: 'asc' } })).map(({ id }) => id);
  const judge = (merchantId: string, batchId: string) => evaluateBatch(database, merchantId, batchId, decide);

  return {
    database,
    judge,
    async openMerchant(rule: ProgramRule): Promise<string> {
      const id = newId('mer');
      await insertMerchant(database, {
        id,
        name: 'Shop',
        timezone: 'Asia/Seoul',
        sealedIdentitySecret: '',
        keys: [],
        signingKey: { id: newId('sgk'), sealedSecret: '' },
        program: { id: newId('prg'), rule },
      });
      await database.endpoint.create({
        data: { id: newId('whk'), merchantId: id, url: 'https://example.com/', eventTypes: ['reward.issue'] },
      });
      return id;
    },
    async store(merchantId: string, version: number, orders: Order[]): Promise<void> {
      await upsertOrders(database, [{ merchantId, version, orders }]);
    },
    async link(merchantId: string, referrerMemberId: string, refereeMemberId: string): Promise<void> {
      const { referral } = await insertReferral(database, {
        merchantId,
        referrerMemberId,
        refereeMemberId,
        source: 'link',
        flags: [],
      });
      await enqueueOrdersOfReferral(database, merchantId, referral);
    },
    publish: (merchantId: string, rule: ProgramRule) => publishProgram(database, merchantId, rule),
    /** Lets every hold run out and marks what is to be confirmed. */
    async endHolds(merchantId: string): Promise<void> {
      await database.reward.updateMany({
        where: { merchantId, state: 'pending' },
        data: { confirmDueAt: new Date(Date.now() - 1_000) },
      });
      await enqueueEndedHolds(database);
    },
    /** Judges one of the batches that wait, in no order; the others wait on, as if a worker had been killed. */
    async judgeSome(merchantId: string): Promise<void> {
      const [one] = await dueOf(merchantId);
      if (one) await judge(merchantId, one);
    },
    /** Judges until nothing waits any more. */
    async settle(merchantId: string): Promise<void> {
      for (let rounds = 0; rounds < 20; rounds += 1) {
        const due = await dueOf(merchantId);
        if (due.length === 0) return;
        for (const batchId of due) await judge(merchantId, batchId);
      }
      throw new Error('the judgements never come to rest');
    },
    async rewards(merchantId: string) {
      const rewards = await database.reward.findMany({ where: { merchantId } });
      return rewards.map((reward) => ({ ...reward, amount: Number(reward.amount) }));
    },
    /** What must hold whatever happened: one live reward a key, an event a state change, sums, caps and budget. */
    async checkBooks(merchantId: string): Promise<void> {
      const [rewards, events, decisions, program, versions] = await Promise.all([
        this.rewards(merchantId),
        database.event.findMany({ where: { merchantId }, orderBy: { sequence: 'asc' } }),
        database.decision.findMany({ where: { merchantId }, orderBy: { number: 'asc' } }),
        database.program.findUniqueOrThrow({ where: { merchantId } }),
        database.programVersion.findMany({ where: { merchantId }, orderBy: { version: 'asc' } }),
      ]);
      const live = rewards.filter(({ state }) => state === 'pending' || state === 'confirmed');
      expect(new Set(live.map(({ subject, role }) => `${subject} ${role}`)).size).toBe(live.length);
      for (const { id, state, createdAt, confirmedAt, endedAt } of rewards) {
        const own = events.filter(({ rewardId }) => rewardId === id);
        runsForwards([createdAt, ...own.map((event) => event.createdAt)]);
        runsForwards([createdAt, confirmedAt, endedAt].filter((time) => time !== null));
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
        runsForwards(
          decisions.filter((decision) => decision.orderId === orderId).map(({ createdAt }) => createdAt),
        );
      expect(Number(program.spent)).toBe(live.reduce((sum, { amount }) => sum + amount, 0));
      // While a limit stays the same over all versions it is never exceeded.
      const limits = versions.map(({ rule }) => rule as unknown as ProgramRule);
      const [first] = limits as [ProgramRule];
      if (first.budget !== null && limits.every(({ budget }) => budget === first.budget))
        expect(Number(program.spent)).toBeLessThanOrEqual(first.budget);
      const { total } = first.referrerCap;
      if (total !== null && limits.every(({ referrerCap }) => referrerCap.total === total))
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

function runsForwards(times: Date[]): void {
  expect(times).toEqual(times.toSorted((one, other) => one.getTime() - other.getTime()));
}
