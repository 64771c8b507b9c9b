import fc from 'fast-check';
import { propertyCases, runsAllPropertyCases } from '@rewardhook/testing/property-cases';
import { transact } from '../client/client.ts';
import type { Queryable } from '../client/client.ts';
import { retryDelivery } from '../deliveries/retry-delivery.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { FeedCursorExpired } from './feed-position.ts';
import type { FeedPosition } from './feed-position.ts';
import { listFeedPage } from './feed.ts';

let merchants = 0;

async function openMerchant(): Promise<string> {
  merchants += 1;
  const id = `mer_${merchants}`;
  await database.merchant.create({ data: { id, name: id, identitySecret: '' } });
  return id;
}

describe('listFeedPage', () => {
  useDatabase(14);
  let events = 0;
  /** Inserts an event whose body is its id. Ids are random: they do not depend on the order. */
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
  /** A reader that keeps its cursor. */
  function openReader(merchantId: string, limit: number) {
    const seen: string[] = [];
    let after: FeedPosition | null = null;
    return {
      seen,
      /** The cursor, to be kept or set. */
      cursor: () => after as FeedPosition,
      continueFrom(position: FeedPosition | null): void {
        after = position;
      },
      async read(): Promise<boolean> {
        const page = await listFeedPage(database, merchantId, { after, limit, types: [...both] });
        expect(page.bodies.length).toBeLessThanOrEqual(limit);
        expect(page.next.position - (after?.position ?? 0)).toBeGreaterThanOrEqual(page.bodies.length);
        after = page.next;
        seen.push(...page.bodies.map((body) => (JSON.parse(body) as { id: string }).id));
        return page.hasMore;
      },
      async readToEnd(): Promise<void> {
        while (await this.read());
      },
    };
  }

  /** A transaction that the test ends. */
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

  it('The feed shows each committed event once and in one order, however transactions overlap', async () => {
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
        const [merchantId, other] = [await openMerchant(), await openMerchant()];
        const reader = openReader(merchantId, limit);
        const committed: string[] = [];
        const steps = writers.flatMap(({ mine, count, commits, begins, lasts }) => {
          let open: ReturnType<typeof openWriter>;
          const begin = async () => {
            open = openWriter(mine ? merchantId : other, count);
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
        await reader.readToEnd();
        expect(reader.seen.toSorted()).toEqual(committed.toSorted());
        const lateReader = openReader(merchantId, 100);
        await lateReader.readToEnd();
        expect(lateReader.seen).toEqual(reader.seen);
      }),
      { numRuns: propertyCases(30) },
    );
  });

  it('The feed shows the same events to concurrent readers while others write', async () => {
    const merchantId = await openMerchant();
    const committed: string[] = [];
    const write = async () => {
      for (let round = 0; round < 15; round += 1) {
        const rollsBack = Math.random() < 0.2;
        const writing = transact(database, async (tx) => {
          const id = await insertEvent(tx, merchantId);
          await tx.query('SELECT pg_sleep($1)', [Math.random() * 0.01]);
          if (rollsBack) throw new Error('rolled back');
          return id;
        });
        const id = await writing.catch(() => undefined);
        if (id) committed.push(id);
      }
    };
    const writing = new AbortController();
    const readers = [1, 7, 100].map((limit) => openReader(merchantId, limit));
    const follow = async (reader: ReturnType<typeof openReader>) => {
      while (!writing.signal.aborted) await reader.read();
      await reader.readToEnd();
    };
    const following = readers.map(follow);
    await Promise.all(Array.from({ length: 6 }, write));
    writing.abort();
    await Promise.all(following);
    expect(committed.length).toBeGreaterThan(40);
    for (const { seen } of readers) expect(seen).toEqual(readers[0]?.seen);
    expect(readers[0]?.seen.toSorted()).toEqual(committed.toSorted());
    const positions = await database.event.aggregate({
      where: { merchantId },
      _min: { position: true },
      _max: { position: true },
    });
    expect([positions._min.position, positions._max.position]).toEqual([1n, BigInt(committed.length)]);
  });

  it('The feed shows each of many concurrent readers all events that were committed before the call', async () => {
    const merchantId = await openMerchant();
    const readers = Array.from({ length: 12 }, () => openReader(merchantId, 5));
    const committed: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      committed.push(await transact(database, (tx) => insertEvent(tx, merchantId)));
      await Promise.all(readers.map((reader) => reader.readToEnd()));
      for (const { seen } of readers) expect(seen).toEqual(committed);
    }
  });

  it('A page of large events has at most 1 MiB and at least one event, and the next one continues after it', async () => {
    const merchantId = await openMerchant();
    const sizes = [300_000, 300_000, 500_000, 2_000_000, 10, 10];
    const inserted: string[] = [];
    for (const size of sizes) {
      const id = await transact(database, (tx) => insertEvent(tx, merchantId));
      await database.$executeRaw`UPDATE events SET body = ${JSON.stringify({ id, text: 'x'.repeat(size) })} WHERE id = ${id}`;
      inserted.push(id);
    }
    const reader = openReader(merchantId, 5);
    const pages: number[] = [];
    for (let hasMore = true; hasMore;) {
      const before = reader.seen.length;
      hasMore = await reader.read();
      pages.push(reader.seen.length - before);
    }
    expect(pages).toEqual([2, 1, 1, 2]);
    expect(reader.seen).toEqual(inserted);
  });

  it('The feed numbers events in the order in which they were written, a page at a time, and only when a page has room', async () => {
    const merchantId = await openMerchant();
    const ids = await transact(database, async (tx) => {
      const made: string[] = [];
      for (let age = 1; age <= 7; age += 1) {
        const id = await insertEvent(tx, merchantId);
        await tx.query(`UPDATE events SET created_at = now() - make_interval(hours => $2) WHERE id = $1`, [
          id,
          age,
        ]);
        made.push(id);
      }
      return made;
    });
    const numbered = () => database.event.count({ where: { merchantId, position: { not: null } } });
    const page = (after: FeedPosition | null) =>
      listFeedPage(database, merchantId, { after, limit: 2, types: [...both] });
    const first = await page(null);
    expect([first.bodies, first.next.position, first.hasMore, await numbered()]).toEqual([
      ids.slice(0, 2).map((id) => JSON.stringify({ id })),
      2,
      true,
      3,
    ]);
    expect([await page(null), await numbered()]).toEqual([first, 3]);
    const second = await page(first.next);
    expect([second.next.position, await numbered()]).toEqual([4, 6]);
    const third = await page(second.next);
    expect([third.next.position, third.hasMore, await numbered()]).toEqual([6, true, 7]);
    const last = await page(third.next);
    expect([last.next.position, last.hasMore]).toEqual([7, false]);
    expect(await page(last.next)).toEqual({ bodies: [], next: last.next, hasMore: false });
  });

  it('The feed continues its numbers after old events were deleted', async () => {
    const merchantId = await openMerchant();
    const insert = () => transact(database, (tx) => insertEvent(tx, merchantId));
    await insert();
    const reader = openReader(merchantId, 10);
    await reader.readToEnd();
    await database.event.deleteMany({ where: { merchantId } });
    const id = await insert();
    await openReader(merchantId, 10).readToEnd();
    await reader.readToEnd();
    expect(reader.seen[1]).toBe(id);
  });

  it('The feed passes events of other types and expired ones, and the cursor moves past them', async () => {
    const merchantId = await openMerchant();
    await transact(database, async (tx) => {
      for (let event = 0; event < 5; event += 1) await insertEvent(tx, merchantId, 'webhook.ping');
      const late = await insertEvent(tx, merchantId);
      await tx.query(`UPDATE events SET expires_at = now() - interval '1 s' WHERE id = $1`, [late]);
    });
    const query = { after: null, limit: 100, types: [...both] };
    expect(await listFeedPage(database, merchantId, query)).toMatchObject({
      bodies: [],
      next: { position: 6 },
      hasMore: false,
    });
    const pings = await listFeedPage(database, merchantId, { ...query, types: ['webhook.ping'] });
    expect([pings.bodies.length, pings.next.position]).toEqual([5, 6]);
  });

  it('The feed does not wait for an erasure that has locked an event, and shows the event later', async () => {
    const merchantId = await openMerchant();
    const insert = () => transact(database, (tx) => insertEvent(tx, merchantId));
    const [held, free] = [await insert(), await insert()];
    const reader = openReader(merchantId, 10);
    await transact(database, async (tx) => {
      await tx.query('UPDATE events SET body = body, erased_at = now() WHERE id = $1', [held]);
      await reader.read();
      expect(reader.seen).toEqual([free]);
    });
    await reader.readToEnd();
    expect(reader.seen).toEqual([free, held]);
  });

  it('The feed shows no revocation before its issue, even while a manual retry has locked the issue', async () => {
    const merchantId = await openMerchant();
    const insert = async (type: string, rewardId: string) => {
      const id = await transact(database, (tx) => insertEvent(tx, merchantId, type));
      await database.event.updateMany({ where: { id }, data: { rewardId } });
      return id;
    };
    const issue = await insert('reward.issue', 'rwd_1');
    const revoke = await insert('reward.revoke', 'rwd_1');
    const other = await insert('reward.issue', 'rwd_2');
    const url = 'https://shop.example/';
    const endpointId = `whk_${merchantId}`;
    await database.endpoint.create({ data: { id: endpointId, merchantId, url, eventTypes: [] } });
    const delivery = { id: crypto.randomUUID(), merchantId, eventId: issue, endpointId };
    await database.query(
      `INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id)
       SELECT $1::uuid, merchant_id, id, created_at, $3 FROM events WHERE id = $2`,
      [delivery.id, issue, endpointId],
    );
    const reader = openReader(merchantId, 10);
    let retry: ReturnType<typeof retryDelivery> | undefined;
    await transact(database, async (tx) => {
      await tx.query('SELECT 1 FROM deliveries WHERE id = $1 FOR UPDATE', [delivery.id]);
      retry = retryDelivery(database, merchantId, delivery.id);
      await waitForLocks(database);
      await reader.readToEnd();
    });
    expect(await retry).toEqual({ at: expect.any(Date) });
    expect(reader.seen).toEqual([other]);
    await reader.readToEnd();
    expect(reader.seen).toEqual([other, issue, revoke]);
  });
});

describe('The position of a feed reader', () => {
  useDatabase(4);
  const insert = (merchantId: string, ids: string[], createdAt: Date | string = new Date()) =>
    database.event.createMany({
      data: ids.map((id) => ({ merchantId, id, type: 'reward.issue', body: `"${id}"`, createdAt })),
    });

  const list = (merchantId: string, after: FeedPosition | null, since?: Date | string) =>
    listFeedPage(database, merchantId, {
      after,
      since: since instanceof Date ? since.toISOString() : since,
      limit: 2,
      types: ['reward.issue'],
    });

  /** Reads from a position to the end: the ids of the events, and the position then. */
  async function readFrom(merchantId: string, after: FeedPosition | null) {
    const ids: string[] = [];
    let page;
    let next = after;
    do {
      page = await list(merchantId, next);
      ids.push(...page.bodies.map((body) => JSON.parse(body) as string));
      next = page.next;
    } while (page.hasMore);
    return { ids, next };
  }

  /** Copies what is stored about the feed. The function that it returns restores the copy. */
  async function copyFeed(merchantId: string): Promise<() => Promise<void>> {
    const where = { merchantId };
    const events = await database.event.findMany({ where });
    const { feedPosition, feedFingerprint } = await database.merchant.findUniqueOrThrow({
      where: { id: merchantId },
    });
    return async () => {
      await database.event.deleteMany({ where });
      await database.event.createMany({ data: events });
      await database.merchant.update({ where: { id: merchantId }, data: { feedPosition, feedFingerprint } });
    };
  }

  /** The events that were deleted after some days. */
  const deleteFirst = (merchantId: string, count: number) =>
    database.event.deleteMany({ where: { merchantId, position: { lte: count } } });

  describe('The cursor of a feed reader', () => {
    it('misses no event after a restore: it continues behind the same events, or is expired', async () => {
      const seen = { continued: 0, expired: 0 };
      // Few ids, so that the same events often come again.
      const batches = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }), {
        maxLength: 3,
      });
      await fc.assert(
        fc.asyncProperty(batches, batches, batches, async (before, lost, again) => {
          const merchantId = await openMerchant();
          /** Writes the batches. A reader numbers each of them. */
          const write = async (name: string, written: number[][]) => {
            for (const [index, numbers] of written.entries()) {
              const ids = numbers.map((number) => `evt_${name}_${index}_${number}`);
              await insert(merchantId, ids);
              await readFrom(merchantId, null);
            }
          };
          await write('before', before);
          const restore = await copyFeed(merchantId);
          await write('after', lost);
          const reader = await readFrom(merchantId, null);
          await restore();
          await write('after', again);
          const stored = (await readFrom(merchantId, null)).ids;
          try {
            const { ids } = await readFrom(merchantId, reader.next);
            expect([...reader.ids, ...ids]).toEqual(stored);
            seen.continued += 1;
          } catch (error) {
            expect(error).toBeInstanceOf(FeedCursorExpired);
            seen.expired += 1;
          }
        }),
        { numRuns: propertyCases(20), seed: 12 },
      );
      // A few cases may only be of one kind.
      if (runsAllPropertyCases()) expect([seen.continued > 0, seen.expired > 0]).toEqual([true, true]);
    });

    it('is expired beyond the end of the feed', async () => {
      const merchantId = await openMerchant();
      const restore = await copyFeed(merchantId);
      await insert(merchantId, ['evt_1', 'evt_2', 'evt_3']);
      const { next } = await readFrom(merchantId, null);
      await restore();
      await expect(list(merchantId, next)).rejects.toThrow(FeedCursorExpired);
      expect(await readFrom(merchantId, null)).toMatchObject({
        ids: [],
        next: { position: 0, fingerprint: '0' },
      });
    });

    it('remains valid while no event after it is deleted, and is expired then', async () => {
      const merchantId = await openMerchant();
      const start = await list(merchantId, null);
      await insert(merchantId, ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5', 'evt_6']);
      const early = (await list(merchantId, null)).next;
      const late = (await list(merchantId, early)).next;
      const { next: end } = await readFrom(merchantId, late);
      expect([early, late, end].map(({ position }) => position)).toEqual([2, 4, 6]);
      await deleteFirst(merchantId, 4);
      await expect(list(merchantId, start.next)).rejects.toThrow(FeedCursorExpired);
      await expect(list(merchantId, early)).rejects.toThrow(FeedCursorExpired);
      expect((await readFrom(merchantId, late)).ids).toEqual(['evt_5', 'evt_6']);
      await deleteFirst(merchantId, 6);
      await expect(list(merchantId, late)).rejects.toThrow(FeedCursorExpired);
      expect(await readFrom(merchantId, end)).toEqual({ ids: [], next: end });
      await insert(merchantId, ['evt_7']);
      expect((await readFrom(merchantId, end)).ids).toEqual(['evt_7']);
      expect((await readFrom(merchantId, null)).ids).toEqual(['evt_7']);
    });

    it('that was begun when all events were deleted is the end of the feed, and remains valid', async () => {
      const merchantId = await openMerchant();
      await insert(merchantId, ['evt_1', 'evt_2']);
      const { next: end } = await readFrom(merchantId, null);
      await deleteFirst(merchantId, 2);
      for (const since of [undefined, new Date(0)]) {
        const begun = await list(merchantId, null, since);
        expect(begun).toEqual({ bodies: [], next: end, hasMore: false });
        expect(await list(merchantId, begun.next)).toEqual(begun);
      }
      await insert(merchantId, ['evt_3']);
      expect((await readFrom(merchantId, end)).ids).toEqual(['evt_3']);
    });
  });

  describe('A feed reader that starts at a time', () => {
    const minutes = (count: number) => new Date(Date.UTC(2026, 10, 22) + count * 60_000);

    it('gets every event since then, and at most those of five minutes before', async () => {
      const merchantId = await openMerchant();
      const empty = await list(merchantId, null, minutes(0));
      expect(empty).toMatchObject({ bodies: [], next: { position: 0 } });
      for (let hour = 0; hour < 9; hour += 1) await insert(merchantId, [`evt_${hour}`], minutes(60 * hour));
      const { next: end } = await readFrom(merchantId, null);
      await deleteFirst(merchantId, 2);
      const firstSince = async (time: Date) => (await list(merchantId, null, time)).bodies[0];
      expect(await firstSince(minutes(0))).toBe('"evt_2"');
      expect(await firstSince(minutes(60 * 5))).toBe('"evt_5"');
      expect(await firstSince(minutes(60 * 5 + 4))).toBe('"evt_5"');
      expect(await firstSince(minutes(60 * 5 + 6))).toBe('"evt_6"');
      const later = await list(merchantId, null, minutes(60 * 20));
      expect(later).toEqual({ bodies: [], next: end, hasMore: false });
      await insert(merchantId, ['evt_new']);
      expect((await list(merchantId, later.next)).bodies).toEqual(['"evt_new"']);
    });

    it('gets none from before it when nobody has read the feed until then', async () => {
      const early = Array.from({ length: 1_001 }, (_none, index) => `evt_${index}`);
      for (const [since, bodies] of [
        [minutes(60), ['"evt_late"']],
        [minutes(60 * 24 * 365), []],
      ] as const) {
        const merchantId = await openMerchant();
        await insert(merchantId, early, minutes(0));
        await insert(merchantId, ['evt_late'], minutes(60));
        const page = await list(merchantId, null, since);
        expect(page).toMatchObject({ bodies, hasMore: false, next: { position: 1_002 } });
        await insert(merchantId, ['evt_new'], minutes(61));
        expect((await list(merchantId, page.next)).bodies).toEqual(['"evt_new"']);
      }
    });
  });
});
