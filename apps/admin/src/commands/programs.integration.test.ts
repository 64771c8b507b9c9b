import { randomBytes } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import { openAdmin } from '../../../../tests/harness/run-admin.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

const folder = mkdtempSync(join(tmpdir(), 'rewardhook-programs-'));
let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(async () => {
  await flow.close();
  rmSync(folder, { recursive: true });
});

const file = (content: unknown) => {
  const path = join(folder, `${randomUUID()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const run = (name: string, options: Record<string, string> = {}) =>
  flow.admin(name, { merchant: merchant.id, ...options });
const points = (value: number) => ({ type: 'points', unit: 'points', amount: { kind: 'fixed', value } });
const order = (member_id: string, day: number) =>
  buildOrder({ member_id, order_id: `${member_id}-${day}`, order_date: `2026-11-0${day}T03:00:00Z` });

describe('program publish', () => {
  it('adds a version, which is listed first, with the default for missing fields', async () => {
    const published = await run('program publish', { program: file({ holdDays: 7 }) });
    expect(published).toMatchObject({ version: 2, rule: { ...defaultRule, holdDays: 7 } });
    const shown = await run('program show');
    expect(shown).toEqual({
      programId: published['programId'],
      versions: [
        { version: 2, publishedAt: expect.any(Date), rule: { ...defaultRule, holdDays: 7 } },
        { version: 1, publishedAt: expect.any(Date), rule: defaultRule },
      ],
    });
  });

  it('changes no existing reward', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const bobs = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, bobs);
    const rewards = () => flow.database.reward.findMany({ where: { merchantId: merchant.id } });
    const before = await rewards();
    await run('program publish', { program: file({ referee: null, referrer: points(9) }) });
    await flow.syncAndSettle(merchant, bobs);
    expect(before).toHaveLength(2);
    expect(await rewards()).toEqual(before);
  });

  it('numbers versions without gaps when several operators publish at the same time', async () => {
    const files = [1, 2, 3, 4, 5].map((holdDays) => file({ holdDays }));
    await Promise.all(files.map((program) => run('program publish', { program })));
    const { versions } = await run('program show');
    expect((versions as { version: number }[]).map(({ version }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('refuses with --base-version to replace a newer version than the one that the rule was edited from', async () => {
    const publish = (rule: object, base?: string) =>
      run('program publish', { program: file(rule), ...(base && { 'base-version': base }) });
    expect(await publish({ minimumPaidAmount: 5_000 }, '1')).toMatchObject({ version: 2 });
    await expect(publish({ holdDays: 7 }, '1')).rejects.toThrow(
      /^Nothing was published: version 2 is the newest.+changed since: minimumPaidAmount\..+--base-version 2\.$/,
    );
    await expect(publish({ holdDays: 7 }, '9')).rejects.toThrow('The program has no version 9.');
    await expect(publish({ holdDays: 7 }, 'two')).rejects.toThrow('--base-version must be a version number.');
    const both = { minimumPaidAmount: 5_000, holdDays: 7 };
    expect(await publish(both, '2')).toMatchObject({ version: 3, rule: both });
  });

  it('reports all problems of a rule at once', async () => {
    const program = file({ trigger: 'always', holdDays: -1, referee: { type: 'points' }, unknown: 1 });
    const error: Error = (await run('program publish', { program }).catch(
      (thrown: Error) => thrown,
    )) as never;
    for (const field of ['trigger', 'holdDays', 'referee.unit', 'referee.amount', 'unknown'])
      expect(error.message).toContain(`\n  ${field} `);
  });

  it.each([
    ['no JSON', () => file('{'), 'is not JSON'],
    ['an empty document', () => file('null'), 'is not a reward rule'],
    ['a missing file', () => join(folder, 'nosuch.json'), 'cannot be read'],
  ])('refuses %s', async (_what, path, message) => {
    await expect(run('program publish', { program: path() })).rejects.toThrow(message);
  });

  it('refuses an unknown merchant, as the other program commands do', async () => {
    const unknown = { merchant: 'mer_nosuch' };
    for (const [name, options] of [
      ['program publish', { ...unknown, program: file({}) }],
      ['program simulate', { ...unknown, program: file({}) }],
      ['program show', unknown],
    ] as const)
      await expect(flow.admin(name, options)).rejects.toThrow('There is no merchant mer_nosuch.');
  });
});

/** The admin command line with a role that may change nothing. */
async function openReadOnlyAdmin() {
  const url = new URL(flow.environment.databaseUrl);
  url.username = `reader_${randomBytes(6).toString('hex')}`;
  url.password = 'p';
  const { username, password } = url;
  await flow.database.$executeRawUnsafe(
    `CREATE ROLE ${username} LOGIN PASSWORD '${password}' IN ROLE pg_read_all_data`,
  );
  const database = openDatabase({ url: url.href, poolSize: 1, applicationName: 'test' });
  return {
    admin: openAdmin(flow.environment, database, flow.sealer),
    async close() {
      await database.$disconnect();
      await flow.database.$executeRawUnsafe(`DROP ROLE ${username}`);
    },
  };
}

describe('program simulate', () => {
  // The orders have fixed dates.
  const earlierOrders = 'count';
  beforeEach(async () => {
    await run('program publish', { program: file({ earlierOrders }) });
    for (const referee of ['bob', 'eve']) await flow.link(merchant, 'ann', referee);
    await flow.syncAndSettle(
      merchant,
      order('bob', 1),
      order('bob', 2),
      order('eve', 3),
      order('stranger', 4),
    );
  });

  it('prints gains, losses and the cost', async () => {
    const draft = { trigger: 'every_order', referee: points(2_000), referrer: points(3_000), earlierOrders };
    const program = file(draft);
    const report = await run('program simulate', { program });
    expect(report).toMatchObject({
      currentVersion: 2,
      orders: 3,
      reasons: { rewarded: 3 },
      draft: { rewards: 6, amounts: { points: 15_000 } },
      current: { rewards: 4, amounts: { points: 12_000 } },
      difference: { rewards: 2, amounts: { points: 3_000 } },
      totalCost: { points: 15_000 },
      gainsInAll: 2,
      gains: [
        { memberId: 'bob', role: 'referee', orderId: 'bob-2', amount: 2_000, unit: 'points' },
        { memberId: 'ann', role: 'referrer', orderId: 'bob-2', amount: 3_000, unit: 'points' },
      ],
      lossesInAll: 2,
      losses: [
        { memberId: 'bob', role: 'referee', orderId: 'bob-1', amount: 1_000, unit: 'points' },
        { memberId: 'eve', role: 'referee', orderId: 'eve-3', amount: 1_000, unit: 'points' },
      ],
    });
  });

  it('changes nothing: a connection that can only read is enough', async () => {
    const readOnly = await openReadOnlyAdmin();
    try {
      const options = { merchant: merchant.id, program: file({ trigger: 'every_order' }) };
      expect(await readOnly.admin('program simulate', options)).toMatchObject({ orders: 3 });
      await expect(readOnly.admin('program publish', options)).rejects.toThrow('permission denied');
    } finally {
      await readOnly.close();
    }
  });

  it('reads only orders since a day in the time zone of the merchant, or since a date-time', async () => {
    const program = file({});
    const orders = async (since: string) => (await run('program simulate', { program, since }))['orders'];
    expect(await orders('2026-11-02')).toBe(2);
    expect(await orders('2026-11-02T12:00:00+09:00')).toBe(2);
    expect(await orders('2026-11-02T03:00:01Z')).toBe(1);
    for (const since of ['yesterday', '2026-02-30', '2026-11-02T03:00', '2026-11-02T25:00:00Z'])
      await expect(orders(since)).rejects.toThrow('--since must be a date such as');
  });

  it('finds no difference for the program in force', async () => {
    expect(await run('program simulate', { program: file({ ...defaultRule, earlierOrders }) })).toMatchObject(
      {
        gainsInAll: 0,
        lossesInAll: 0,
        difference: { rewards: 0 },
      },
    );
  });
});
