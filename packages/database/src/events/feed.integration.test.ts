import fc from 'fast-check';
import { transact } from '../client/client.ts';
import type { Queryable } from '../client/client.ts';
import { listFeedPage } from './feed.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { retryDelivery } from '../deliveries/retry-delivery.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

useDatabase(14);
let merchants = 0;

async function openShop(): Promise<string> {
  merchants += 1;
  const id = `mer_${merchants}`;
  await database.merchant.create({ data: { id, name: id, identitySecret: '' } });
  return id;
}

let events = 0;
/** An event whose body is its id, under a random one: ids tell nothing about the order. */
async function insertEvent(tx: Queryable, merchantId: string, type = 'reward.issue'): Promise<string> {
  events += 1;
  const id = `evt_${Math.random().toString(36).slice(2)}_${events}`;
  await tx.query('INSERT INTO events (merchant_id, id, type, body) VALUES ($1, $2, $3, $4)', [
    merchantId,
    id,
    type,
    JSON.stringify({ id }),
  ]);
  return id;
}

const both = ['reward.issue', 'reward.revoke'] as const;
/** A reader that keeps its place. */
function openReader(merchantId: string, limit: number) {
  const seen: string[] = [];
  let after = 0;
  return {
    seen,
    async read(): Promise<boolean> {
      const page = await listFeedPage(database, merchantId, { after, limit, types: [...both] });
      expect(page.bodies.length).toBeLessThanOrEqual(limit);
      expect(page.next - after).toBeGreaterThanOrEqual(page.bodies.length);
      after = page.next;
      seen.push(...page.bodies.map((body) => (JSON.parse(body) as { id: string }).id));
      return page.hasMore;
    },
    async readOn(): Promise<void> {
      while (await this.read());
    },
  };
}

/** A transaction whose end is said from outside. */
function openWriter(merchantId: string, count: number) {
  const written: string[] = [];
  let end: (commits: boolean) => void = () => undefined;
  const ended = new Promise<boolean>((resolve) => (end = resolve));
  let inserted: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (inserted = resolve));
  const done = transact(database, async (tx) => {
    for (let event = 0; event < count; event += 1) written.push(await insertEvent(tx, merchantId));
    inserted();
    if (!(await ended)) throw new Error('rolled back');
  });
  done.catch(() => inserted());
  return {
    written,
    ready,
    async end(commits: boolean): Promise<void> {
      end(commits);
      if (commits) await done;
      else await expect(done).rejects.toThrow('rolled back');
    },
  };
}

describe('the feed', () => {
  it('shows each committed event once and in one order, whatever begins, commits and is rolled back when', async () => {
    const writer = fc.record({
      mine: fc.boolean(),
      count: fc.integer({ min: 1, max: 3 }),
      commits: fc.boolean(),
      begins: fc.integer({ min: 0, max: 99 }),
      lasts: fc.integer({ min: 1, max: 99 }),
    });
    const scenario = fc.record({
      writers: fc.array(writer, { minLength: 1, maxLength: 8 }),
      reads: fc.array(fc.integer({ min: 0, max: 199 }), { maxLength: 8 }),
      limit: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ writers, reads, limit }) => {
        const [shop, other] = [await openShop(), await openShop()];
        const reader = openReader(shop, limit);
        const committed: string[] = [];
        const steps = writers.flatMap(({ mine, count, commits, begins, lasts }) => {
          let open: ReturnType<typeof openWriter>;
          const begin = async () => {
            open = openWriter(mine ? shop : other, count);
            await open.ready;
          };
          const finish = async () => {
            await open.end(commits);
            if (mine && commits) committed.push(...open.written);
          };
          return [
            { at: begins, run: begin },
            { at: begins + lasts, run: finish },
          ];
        });
        const reading = reads.map((at) => ({ at, run: () => reader.read() as Promise<unknown> }));
        for (const step of [...steps, ...reading].toSorted((a, b) => a.at - b.at)) await step.run();
        await reader.readOn();
        expect(reader.seen.toSorted()).toEqual(committed.toSorted());
        const latecomer = openReader(shop, 100);
        await latecomer.readOn();
        expect(latecomer.seen).toEqual(reader.seen);
      }),
      { numRuns: 30 },
    );
  });

  it('shows the same to readers who read while others write and read', async () => {
    const shop = await openShop();
    const committed: string[] = [];
    const write = async () => {
      for (let turn = 0; turn < 15; turn += 1) {
        const rollsBack = Math.random() < 0.2;
        const writing = transact(database, async (tx) => {
          const id = await insertEvent(tx, shop);
          await tx.query('SELECT pg_sleep($1)', [Math.random() * 0.01]);
          if (rollsBack) throw new Error('rolled back');
          return id;
        });
        const id = await writing.catch(() => undefined);
        if (id) committed.push(id);
      }
    };
    const writing = new AbortController();
    const readers = [1, 7, 100].map((limit) => openReader(shop, limit));
    const follow = async (reader: ReturnType<typeof openReader>) => {
      while (!writing.signal.aborted) await reader.read();
      await reader.readOn();
    };
    const following = readers.map(follow);
    await Promise.all(Array.from({ length: 6 }, write));
    writing.abort();
    await Promise.all(following);
    expect(committed.length).toBeGreaterThan(40);
    for (const { seen } of readers) expect(seen).toEqual(readers[0]?.seen);
    expect(readers[0]?.seen.toSorted()).toEqual(committed.toSorted());
    const places = await database.event.aggregate({
      where: { merchantId: shop },
      _min: { position: true },
      _max: { position: true },
    });
    expect([places._min.position, places._max.position]).toEqual([1n, BigInt(committed.length)]);
  });

  it('shows what was committed before the call to each of many that read at once', async () => {
    const shop = await openShop();
    const readers = Array.from({ length: 12 }, () => openReader(shop, 5));
    const committed: string[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      committed.push(await transact(database, (tx) => insertEvent(tx, shop)));
      await Promise.all(readers.map((reader) => reader.readOn()));
      for (const { seen } of readers) expect(seen).toEqual(committed);
    }
  });

  it('places what waits in the order in which it was written, a page at a time, and only when the page is not full', async () => {
    const shop = await openShop();
    const ids = await transact(database, async (tx) => {
      const made: string[] = [];
      for (let age = 1; age <= 7; age += 1) {
        const id = await insertEvent(tx, shop);
        await tx.query(`UPDATE events SET created_at = now() - make_interval(hours => $2) WHERE id = $1`, [
          id,
          age,
        ]);
        made.push(id);
      }
      return made;
    });
    const placed = () => database.event.count({ where: { merchantId: shop, position: { not: null } } });
    const page = (after: number) => listFeedPage(database, shop, { after, limit: 2, types: [...both] });
    const first = await page(0);
    expect([first.bodies, first.next, first.hasMore, await placed()]).toEqual([
      ids.slice(0, 2).map((id) => JSON.stringify({ id })),
      2,
      true,
      3,
    ]);
    expect([await page(0), await placed()]).toEqual([first, 3]);
    expect([(await page(2)).next, await placed()]).toEqual([4, 6]);
    expect([await page(6), await placed()]).toMatchObject([{ next: 7, hasMore: false }, 7]);
    expect(await page(7)).toEqual({ bodies: [], next: 7, hasMore: false });
  });

  it('goes on counting when old events are gone', async () => {
    const shop = await openShop();
    const insert = () => transact(database, (tx) => insertEvent(tx, shop));
    await insert();
    const reader = openReader(shop, 10);
    await reader.readOn();
    await database.event.deleteMany({ where: { merchantId: shop } });
    const id = await insert();
    await openReader(shop, 10).readOn();
    await reader.readOn();
    expect(reader.seen[1]).toBe(id);
  });

  it('passes by what is not asked for and what has expired, with a place behind it', async () => {
    const shop = await openShop();
    await transact(database, async (tx) => {
      for (let event = 0; event < 5; event += 1) await insertEvent(tx, shop, 'webhook.ping');
      const late = await insertEvent(tx, shop);
      await tx.query(`UPDATE events SET expires_at = now() - interval '1 s' WHERE id = $1`, [late]);
    });
    const query = { after: 0, limit: 100, types: [...both] };
    expect(await listFeedPage(database, shop, query)).toEqual({ bodies: [], next: 6, hasMore: false });
    const pings = await listFeedPage(database, shop, { ...query, types: ['webhook.ping'] });
    expect([pings.bodies.length, pings.next]).toEqual([5, 6]);
  });

  it('does not wait for an erasure that holds an event, and shows that one later', async () => {
    const shop = await openShop();
    const insert = () => transact(database, (tx) => insertEvent(tx, shop));
    const [held, free] = [await insert(), await insert()];
    const reader = openReader(shop, 10);
    await transact(database, async (tx) => {
      await tx.query('UPDATE events SET body = body, erased_at = now() WHERE id = $1', [held]);
      await reader.read();
      expect(reader.seen).toEqual([free]);
    });
    await reader.readOn();
    expect(reader.seen).toEqual([free, held]);
  });

  it('tells of no revocation before its issue, which somebody sends again at that moment', async () => {
    const shop = await openShop();
    const insert = async (type: string, rewardId: string) => {
      const id = await transact(database, (tx) => insertEvent(tx, shop, type));
      await database.event.updateMany({ where: { id }, data: { rewardId } });
      return id;
    };
    const issue = await insert('reward.issue', 'rwd_1');
    const revoke = await insert('reward.revoke', 'rwd_1');
    const other = await insert('reward.issue', 'rwd_2');
    const url = 'https://shop.example/';
    const endpointId = `whk_${shop}`;
    await database.endpoint.create({ data: { id: endpointId, merchantId: shop, url, eventTypes: [] } });
    const delivery = { id: crypto.randomUUID(), merchantId: shop, eventId: issue, endpointId };
    await database.delivery.create({ data: delivery });
    const reader = openReader(shop, 10);
    let retry: ReturnType<typeof retryDelivery> | undefined;
    await transact(database, async (tx) => {
      await tx.query('SELECT 1 FROM deliveries WHERE id = $1 FOR UPDATE', [delivery.id]);
      retry = retryDelivery(database, shop, delivery.id);
      await waitForLocks(database);
      await reader.readOn();
    });
    expect(await retry).toEqual(expect.any(Date));
    expect(reader.seen).toEqual([other]);
    await reader.readOn();
    expect(reader.seen).toEqual([other, issue, revoke]);
  });
});
