import { waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => (flow = await startFlow({ workers: false })));
beforeEach(async () => (merchant = await flow.openMerchant()));
afterAll(() => flow.close());

/** Runs `during` in a transaction that holds the locks of a statement. */
const lock = (sql: string, values: string[], during: () => Promise<void>) =>
  flow.database.$transaction(async (tx) => {
    await tx.$executeRawUnsafe(sql, ...values);
    await during();
  });

/** Statements of this database that wait for a lock. */
async function countWaiting(): Promise<number> {
  const [row] = await flow.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.count ?? 0;
}

const readOrders = (of: Merchant, signal?: AbortSignal) =>
  fetch(`${flow.url}/api/open/orders/`, {
    headers: { 'x-service-key': of.secretKey },
    ...(signal && { signal }),
  });

describe('Many requests of one merchant', () => {
  it('leave connections to PostgreSQL for other merchants while their links wait for a lock', async () => {
    const other = await flow.openMerchant();
    let links: Promise<number>[] = [];
    const linksOf = "SELECT pg_advisory_xact_lock(hashtextextended('rewardhook links ' || $1, 0))";
    await lock(linksOf, [merchant.id], async () => {
      links = Array.from({ length: 30 }, async (_, index) => {
        const { status } = await flow.link(merchant, `referrer-${index}`, `referee-${index}`);
        return status;
      });
      await waitFor(async () => (await countWaiting()) === 2);
      expect((await flow.link(other, 'ann', 'bob')).status).toBe(201);
      expect((await readOrders(other)).status).toBe(200);
      expect(await countWaiting()).toBe(2);
    });
    expect(new Set(await Promise.all(links))).toEqual(new Set([201]));
  });

  it('count until PostgreSQL has answered, although their clients have closed the connections', async () => {
    await lock('LOCK TABLE orders IN ACCESS EXCLUSIVE MODE', [], async () => {
      const clients = new AbortController();
      const reads = Array.from({ length: 5 }, () =>
        readOrders(merchant, clients.signal).catch(() => undefined),
      );
      // The others wait for a permit, and go on waiting.
      await waitFor(async () => (await countWaiting()) === 2);
      clients.abort();
      await Promise.all(reads);
      for (let request = 0; request < 20; request += 1) {
        const { status, headers } = await readOrders(merchant);
        expect([status, headers.get('retry-after')]).toEqual([429, '1']);
      }
    });
    await waitFor(async () => (await readOrders(merchant)).status === 200);
  });
});
