import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type {
  Page,
  PerformanceView,
  ProgramVersionView,
  ProgramView,
  RewardListRow,
  SimulationView,
  VersionFiguresRow,
} from '../api-types.ts';

let flow: Flow;
let running: RunningConsole;
let shop: SignedUpMerchant;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
  shop = await running.signUp();
  for (const referee of ['bob', 'cho']) await flow.link(shop.merchant, 'ann', referee);
  await flow.link(shop.merchant, 'dan', 'eve');
  const orders = ['bob', 'cho', 'eve', 'bob'].map((member, index) =>
    buildOrder({ order_id: `o-${index}`, member_id: member }),
  );
  await flow.syncAndSettle(shop.merchant, ...orders);
});
afterAll(async () => {
  await running.close();
  await flow.close();
});

const performance = async (query: string, { browser } = shop) =>
  (await browser.get(`/performance?${query}`)).data as PerformanceView;

/** The terms of a version with another hold. */
const withHold = (version: ProgramVersionView | undefined, holdDays: number) => ({
  ...version?.terms,
  rules: version?.terms.rules.map((rule) => ({ ...rule, holdDays })),
});

describe('The performance of a program', () => {
  it('is the sum of its days, of its versions and of what the lists show', async () => {
    const view = await performance('period=seven_days');
    const { figures, days, versions, referrers } = view;
    expect(figures).toMatchObject({ new_referrals: 3, first_orders: 3, rewards: 6 });
    expect(days).toHaveLength(7);
    expect([days[0]?.day, days.at(-1)?.day]).toEqual([view.from, view.to]);
    const sumOf = (rows: Record<string, unknown>[], name: string) =>
      rows.reduce((sum, row) => sum + Number(row[name]), 0);
    for (const name of ['first_orders', 'rewards', 'referred_revenue'] as const) {
      expect([name, sumOf(days, name)]).toEqual([name, figures[name]]);
      expect([name, sumOf(versions as never[], name)]).toEqual([name, figures[name]]);
    }
    expect(referrers.map((row) => [row.member_id, row.first_orders, row.orders])).toEqual([
      ['ann', 2, 3],
      ['dan', 1, 1],
    ]);
    expect(sumOf(referrers as never[], 'referred_revenue')).toBe(figures.referred_revenue);
    const rewards = (await shop.browser.get('/rewards?state=confirmed')).data as Page<RewardListRow>;
    expect(figures.cost).toEqual([
      {
        type: 'points',
        unit: 'points',
        amount: rewards.items.reduce((sum, { amount }) => sum + amount, 0),
        rewards: rewards.items.length,
        each_first_order: 6_000,
      },
    ]);
    expect(view.before.figures).toMatchObject({ new_referrals: 0, first_orders: 0, cost: [] });
  });

  it('has a CSV file with a line for each day, whose sums are those of the page', async () => {
    const { figures, from, to } = await performance('period=this_month');
    const file = await shop.browser.get(`/performance.csv?from=${from}&to=${to}`);
    const [head, ...lines] = file.text
      .replace(/^\uFEFF/, '')
      .trim()
      .split(/\r?\n/)
      .map((line) => line.split(','));
    const sums = Object.fromEntries(
      (head ?? [])
        .slice(1)
        .map((name, index) => [name, lines.reduce((sum, line) => sum + Number(line[index + 1]), 0)]),
    );
    const { cost, ...rest } = figures;
    expect(sums).toEqual({ ...rest, cost_points_points: cost[0]?.amount });
    expect([lines[0]?.[0], lines.at(-1)?.[0]]).toEqual([from, to]);
  });

  it('covers at most 366 days, and names the day that is wrong', async () => {
    const refused = async (query: string) => (await shop.browser.get(`/performance?${query}`)).body.params;
    expect((await performance('from=2024-01-01&to=2024-12-31')).days).toHaveLength(366);
    expect(await refused('from=2024-01-01&to=2025-01-01')).toEqual({
      to: 'must not make a range of more than 366 days',
    });
    expect(await refused('from=2024-01-02&to=2024-01-01')).toEqual({ to: 'must not be before from' });
    expect(await refused('from=2024-02-30&to=2024-03-01')).toEqual({
      from: 'must be a day such as 2026-03-01',
    });
    expect(await refused('from=2024-01-01')).toEqual({ to: 'is required' });
  });

  it('of another shop, and of the test side, is empty', async () => {
    const empty = { clicks: 0, new_referrals: 0, first_orders: 0, referred_revenue: 0, rewards: 0, cost: [] };
    const other = await running.signUp();
    expect((await performance('period=this_year', other)).figures).toEqual(empty);
    const test = (await shop.browser.get('/test/performance')).data as PerformanceView;
    expect([test.figures, test.versions, test.referrers]).toEqual([empty, [], []]);
  });
});

describe('The versions of a program', () => {
  const program = async (path = '/program') => (await shop.browser.get(path)).data as ProgramView;

  it('say who published them and why, and have the figures that the performance shows by version', async () => {
    const [first] = (await program()).versions;
    expect(first).toMatchObject({ published_by: null, note: '' });
    const terms = withHold(first, 1);
    const published = await shop.browser.post('/program', {
      terms,
      base_version: 1,
      note: 'Autumn campaign',
    });
    expect(published.data).toMatchObject({ version: 2, published_by: shop.email, note: 'Autumn campaign' });
    const file = join(mkdtempSync(join(tmpdir(), 'terms-')), 'terms.json');
    writeFileSync(file, JSON.stringify(first?.terms));
    const options = { merchant: shop.merchant.id, program: file, note: 'Back to the former terms' };
    await flow.admin('program publish', options);
    const { versions } = await program();
    expect(versions.map(({ version, published_by: by, note }) => [version, by, note])).toEqual([
      [3, 'operator', 'Back to the former terms'],
      [2, shop.email, 'Autumn campaign'],
      [1, null, ''],
    ]);
    const figures = (await shop.browser.get('/program/figures')).data as VersionFiguresRow[];
    expect(figures).toEqual((await performance('period=this_year')).versions);
    expect(figures).toMatchObject([{ version: 1, first_orders: 3, rewards: 6 }]);
  });

  it('have one draft for each side, which no one overwrites or deletes without having seen it', async () => {
    const { browser, email } = shop;
    const [live] = (await program()).versions;
    const terms = withHold(live, 9);
    const save = (changes: object) =>
      browser.send('PUT', '/program/draft', { terms, base_version: live?.version, ...changes });
    expect((await save({ former_saved_at: null })).status).toBe(204);
    const { draft } = await program();
    expect(draft).toMatchObject({ terms, base_version: live?.version, saved_by: email });
    expect((await program('/test/program')).draft).toBeNull();
    const refused = await save({ former_saved_at: null, terms: withHold(live, 8) });
    expect([refused.status, refused.body.code]).toEqual([409, 'version_conflict']);
    expect((await save({ former_saved_at: draft?.saved_at })).status).toBe(204);
    const stale = `/program/draft?former_saved_at=${draft?.saved_at}`;
    expect((await browser.send('DELETE', stale)).body.code).toBe('version_conflict');
    const invalid = await save({ terms: withHold(live, -1) });
    expect(Object.keys(invalid.body.params ?? {})).toEqual(['terms.rules[0].holdDays']);
    // Other terms leave the draft, and the same ones complete it.
    const publish = (published: object, base: number | undefined) =>
      browser.post('/program', { terms: published, base_version: base });
    await publish(withHold(live, 7), live?.version);
    expect((await program()).draft?.terms).toEqual(terms);
    await publish(terms, (live?.version ?? 0) + 1);
    expect((await program()).draft).toBeNull();
  });

  it('are listed up to the newest 100, while terms can be compared with those of any older one', async () => {
    const { merchant, browser } = await running.signUp();
    const merchantId = merchant.id;
    const first = await flow.database.programVersion.findFirstOrThrow({ where: { merchantId } });
    const data = Array.from({ length: 100 }, (_, index) => ({
      ...first,
      terms: first.terms as object,
      version: index + 2,
    }));
    await flow.database.programVersion.createMany({ data });
    const { versions, more } = (await browser.get('/program')).data as ProgramView;
    expect([versions.length, versions[0]?.version, versions[99]?.version, more]).toEqual([100, 101, 2, true]);
    const publish = (base: number) =>
      browser.post('/program', { terms: withHold(versions[0], 3), base_version: base });
    expect((await publish(1)).body.code).toBe('version_conflict');
    expect(Object.keys((await publish(102)).body.params ?? {})).toEqual(['base_version']);
    expect((await publish(101)).data).toMatchObject({ version: 102 });
  });

  it('are simulated on the orders of 90 days, unless others of the last 366 are chosen', async () => {
    await flow.syncAndSettle(
      shop.merchant,
      buildOrder({ order_id: 'old', member_id: 'bob', order_date: daysAgo(100), paid_at: daysAgo(100) }),
    );
    const [live] = (await program()).versions;
    const simulate = (since?: string) =>
      shop.browser.post('/program/simulate', { terms: live?.terms, since });
    const ordersOf = async (since?: string) => ((await simulate(since)).data as SimulationView).orders;
    expect([await ordersOf(), await ordersOf(daysAgo(120)), await ordersOf(daysAgo(365))]).toEqual([4, 5, 5]);
    expect((await simulate(daysAgo(367))).body.params).toEqual({
      since: 'must not make a range of more than 366 days',
    });
  });
});

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
