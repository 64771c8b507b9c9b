import { buildOrder, temporaryFolder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { createClient, cursorFile } from './index.ts';
import type { Client, CursorStore, FeedEvent } from './index.ts';

let flow: Flow;
let merchant: Merchant;
let client: Client;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
  client = createClient({ secretKey: merchant.secretKey, apiUrl: flow.url });
});
afterAll(() => flow.close());

/** Two rewards: of the referee, and of their referrer. */
async function reward(referee: string): Promise<void> {
  await client.members.link({ referrer_member_id: 'ann', referee_member_id: referee });
  await flow.syncAndSettle(merchant, buildOrder({ member_id: referee, items: [] }));
}
function cursors(): CursorStore & { stored: string[] } {
  const stored: string[] = [];
  return {
    stored,
    load: async () => stored.at(-1),
    store: async (cursor) => void stored.push(cursor),
  };
}
const membersOf = (events: FeedEvent[]) =>
  events.map((event) => (event.type === 'reward.issue' ? event.data.member_id : event.type)).toSorted();

describe('Reading the event feed', () => {
  it('Each event is read once over several calls, page by page', async () => {
    await reward('bob');
    await reward('carl');
    const store = cursors();
    const events: FeedEvent[] = [];
    const onEvent = (event: FeedEvent) => events.push(event);
    expect(await client.events.read({ cursors: store, limit: 3, onEvent })).toBe(4);
    expect(membersOf(events)).toEqual(['ann', 'ann', 'bob', 'carl']);
    expect(store.stored).toHaveLength(2);
    expect(await client.events.read({ cursors: store, onEvent })).toBe(0);
    await reward('dora');
    expect(await client.events.read({ cursors: store, onEvent })).toBe(2);
    expect(await client.events.page({ limit: 1 })).toMatchObject({ events: [events[0]], has_more: true });
  });

  it('When the work of an event fails, its page is read again', async () => {
    await reward('bob');
    const store = cursors();
    let fails = true;
    const seen: string[] = [];
    const onEvent = (event: FeedEvent) => {
      seen.push(event.id);
      if (seen.length === 2 && fails) throw new Error('database away');
    };
    await expect(client.events.read({ cursors: store, onEvent })).rejects.toThrow('database away');
    expect(store.stored).toEqual([]);
    fails = false;
    expect(await client.events.read({ cursors: store, onEvent })).toBe(2);
    expect(seen.slice(2)).toEqual(seen.slice(0, 2));
  });

  it('A reader whose cursor has expired starts again, at the time that it chooses', async () => {
    await reward('bob');
    const store = cursors();
    await client.events.read({ cursors: store, onEvent: () => undefined });
    const expire = async () => {
      await flow.database.event.deleteMany({ where: { merchantId: merchant.id } });
      const data = { feedPosition: 0, feedFingerprint: 0 };
      await flow.database.merchant.update({ where: { id: merchant.id }, data });
    };
    await expire();
    await reward('carl');
    const events: FeedEvent[] = [];
    const read = (onCursorExpired?: () => Date) =>
      client.events.read({
        cursors: store,
        onEvent: (event) => events.push(event),
        ...(onCursorExpired && { onCursorExpired }),
      });
    expect(await read()).toBe(2);
    expect(membersOf(events)).toEqual(['ann', 'carl']);
    await expire();
    await reward('dora');
    // Events get their position when they are read first. Those without one are in every page.
    await client.events.page();
    let asked = 0;
    const since = () => new Date(Date.now() + 3_600_000 * (asked += 1));
    expect([await read(since), asked]).toEqual([0, 1]);
  });

  it('A reader that is stopped while the work of an event fails ends with the error of the work', async () => {
    await reward('bob');
    const stop = new AbortController();
    const reading = client.events.read({
      cursors: cursors(),
      onEvent: () => {
        stop.abort();
        throw new Error('database away');
      },
      pollMs: 20,
      signal: stop.signal,
    });
    await expect(reading).rejects.toThrow('database away');
  });

  it('A reader that polls gets new events until it is stopped, and continues from its file', async () => {
    const folder = temporaryFolder();
    const store = cursorFile(`${folder.path}/cursor`);
    expect(await store.load()).toBeUndefined();
    const stop = new AbortController();
    const events: FeedEvent[] = [];
    const reading = client.events.read({
      cursors: store,
      onEvent: (event) => events.push(event),
      pollMs: 20,
      signal: stop.signal,
    });
    await reward('bob');
    await waitFor(() => events.length === 2);
    stop.abort();
    expect(await reading).toBe(2);
    await reward('carl');
    expect(await client.events.read({ cursors: store, onEvent: (event) => events.push(event) })).toBe(2);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    folder.remove();
  });
});
