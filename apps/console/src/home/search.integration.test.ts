import { buildOrder } from '@rewardhook/testing';
import { onTestSide } from '../../../../tests/console/merchant-with-data.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openTestSide } from '../../../../tests/test-side/open-test-side.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { Browser, RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { SearchView } from '../api-types.ts';

describe('The search of the console', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  let other: SignedUpMerchant;
  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
    [owner, other] = [await running.signUp(), await running.signUp()];
    const testSide = await openTestSide(flow, owner.merchant);
    const order = (id: string, member = 'Bob') => buildOrder({ order_id: id, member_id: member });
    await flow.receiver(owner.merchant, 'reward.issue');
    await flow.link(owner.merchant, 'Ann', 'Bob');
    const ids = ['A-1003', 'a-1001', 'A-1002', 'A-1004', 'a-1005', 'A-1006', 'B-1', 'A%1', 'A_1', 'A\\1'];
    await flow.syncAndSettle(owner.merchant, ...ids.map((id) => order(id)));
    await flow.syncAndSettle(other.merchant, order('A-1003-other', 'bob-other'));
    await flow.boot(other.merchant, { user_id: 'bob-other' });
    await flow.syncAndSettle(testSide, order('A-1003-test', 'bob-test'));
    await flow.boot(testSide, { user_id: 'bob-test' });
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  const find = async (q: string, browser: Browser = owner.browser) => {
    const { status, data } = await browser.get(`/search?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
    return data as SearchView;
  };
  /** What is found, as `kind: ids`. */
  const idsOf = async (q: string, browser?: Browser) =>
    (await find(q, browser)).map(({ kind, items }) => `${kind}: ${items.map(({ id }) => id).join(' ')}`);

  it('finds the first five orders and members by the start of their ids, in any case and in the order of the ids', async () => {
    expect(await find('A-10')).toEqual([
      {
        kind: 'order',
        items: ['a-1001', 'A-1002', 'A-1003', 'A-1004', 'a-1005'].map((id) => ({ id, about: 'Bob' })),
        more: true,
      },
    ]);
    expect(await idsOf(' a-1003\u200b')).toEqual(['order: A-1003']);
    expect(await idsOf('BO')).toEqual(['member: Bob']);
    expect(await idsOf('nothing like it')).toEqual([]);
  });

  it.each([
    ['%1', []],
    ['a%', ['order: A%1']],
    ['a_', ['order: A_1']],
    ['__', []],
    ['a\\', ['order: A\\1']],
  ])('takes the text %s as it is, not as a pattern', async (text, expected) => {
    expect(await idsOf(text)).toEqual(expected);
  });

  it('finds a member by the code, by a share link, and by the id and code of before a merge', async () => {
    const codeOf = async (memberId: string) => {
      const where = { merchantId_memberId: { merchantId: owner.merchant.id, memberId } };
      return (await flow.database.member.findUniqueOrThrow({ where })).code;
    };
    await flow.boot(owner.merchant, { user_id: 'Former' });
    const [code, former] = [await codeOf('Ann'), await codeOf('Former')];
    await owner.browser.post('/members/Former/merge', {
      into_member_id: 'Ann',
      reason: 'two accounts',
      key: 'key',
      dry_run: false,
    });
    const texts = [code.toLowerCase(), `https://api.example.com/r/${code}`, 'Former', former, 'an'];
    for (const text of texts)
      expect([text, await find(text)]).toEqual([
        text,
        [{ kind: 'member', items: [{ id: 'Ann', about: code }], more: false }],
      ]);
  });

  it('finds a webhook by a part of its host, and a delivery and an event by the complete id', async () => {
    const merchantId = owner.merchant.id;
    const { id: webhookId, url } = await flow.database.endpoint.findFirstOrThrow({ where: { merchantId } });
    const { id, eventId } = await flow.database.delivery.findFirstOrThrow({ where: { merchantId } });
    expect(await find(new URL(url).host)).toEqual([
      { kind: 'webhook', items: [{ id: webhookId, about: url }], more: false },
    ]);
    expect(await idsOf('/hook')).toEqual([]);
    expect(await find(id.toUpperCase())).toEqual([
      { kind: 'delivery', items: [{ id, about: eventId }], more: false },
    ]);
    expect(await find(eventId)).toEqual([
      { kind: 'event', items: [{ id: eventId, about: 'reward.issue' }], more: false },
    ]);
    expect(await idsOf(id.slice(0, 20))).toEqual([]);
    for (const text of [new URL(url).host, id, eventId])
      for (const browser of [other.browser, onTestSide(owner.browser)])
        expect([text, await idsOf(text, browser)]).toEqual([text, []]);
  });

  it('finds nothing of another merchant or of the other side', async () => {
    expect(await idsOf('a-1003')).toEqual(['order: A-1003']);
    expect(await idsOf('a-1003', other.browser)).toEqual(['order: A-1003-other']);
    expect(await idsOf('a-1003', onTestSide(owner.browser))).toEqual(['order: A-1003-test']);
    expect(await idsOf('bob')).toEqual(['member: Bob']);
    expect(await idsOf('bob', other.browser)).toEqual(['member: bob-other']);
    expect(await idsOf('bob', onTestSide(owner.browser))).toEqual(['member: bob-test']);
  });

  it('needs two characters, and a session', async () => {
    for (const query of ['', '?q=', '?q=a', `?q=${'a'.repeat(256)}`, '?q=a%00', '?q=aa&q=bb'])
      expect([query, (await owner.browser.get(`/search${query}`)).status]).toEqual([query, 400]);
    expect((await running.browser().get('/search?q=aa')).status).toBe(401);
  });

  it('The list of orders finds the same orders by the start of their ids, page by page', async () => {
    const found: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const answer = await owner.browser.get(`/orders?search=a-10&limit=4${after && `&after=${after}`}`);
      const page = answer.data as { items: { order_id: string }[]; next: string | null };
      found.push(...page.items.map((one) => one.order_id));
      after = page.next;
    }
    expect(found).toEqual(['a-1001', 'A-1002', 'A-1003', 'A-1004', 'a-1005', 'A-1006']);
    expect((await owner.browser.get('/orders?search=a-10&after=bm90IGE_')).status).toBe(200);
    expect((await owner.browser.get('/orders?search=a-10&after=%F0')).status).toBe(400);
    const ofBob = (await owner.browser.get('/orders?search=b-&member_id=Bob')).data as { items: unknown[] };
    expect(ofBob.items).toHaveLength(1);
  });
});
