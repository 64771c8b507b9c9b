import fc from 'fast-check';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { listFeedPage } from './feed.ts';
import { FeedCursorExpired } from './feed-position.ts';
import type { FeedPosition } from './feed-position.ts';

useDatabase(4);
let merchants = 0;

async function openMerchant(): Promise<string> {
  merchants += 1;
  const id = `mer_${merchants}`;
  await database.merchant.create({ data: { id, name: id, identitySecret: '' } });
  return id;
}

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
      { numRuns: 20, seed: 12 },
    );
    expect(seen.continued).toBeGreaterThan(0);
    expect(seen.expired).toBeGreaterThan(0);
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
