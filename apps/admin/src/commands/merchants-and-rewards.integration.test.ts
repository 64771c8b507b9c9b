import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raiseVersionCeiling } from '@rewardhook/database/operations';
import { connectWorker, disconnect, openProducer, openQueues } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { testLog } from '../../../../tests/harness/test-log.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

/** Stores an order without the workers. */
async function storeOrder(merchantId: string, orderId: string) {
  const order = { merchantId, orderId, orderDate: new Date() };
  const amounts = { orderAmount: 1, paidAmount: 1, shippingAmount: 0, items: [] };
  await flow.database.order.create({
    data: { ...order, ...amounts, version: 1, memberId: 'bob', firstOrder: false },
  });
  return order;
}

describe('merchant list', () => {
  /** Creates a merchant with a user. Returns its id. */
  async function createMerchant(name: string, user: { email: string; role: string }): Promise<string> {
    const { merchantId } = await flow.admin('merchant create', { name });
    const id = `usr_${user.email}`;
    await flow.database.user.upsert({
      where: { id },
      create: { id, email: user.email, passwordHash: '' },
      update: {},
    });
    await flow.database.membership.create({
      data: { merchantId: String(merchantId), userId: id, role: user.role },
    });
    return String(merchantId);
  }

  /** The names that the command lists. */
  async function namesOf(options: Record<string, string>): Promise<string[]> {
    const { merchants } = await flow.admin('merchant list', options);
    return (merchants as { name: string }[]).map(({ name }) => name);
  }

  let tea: string;
  beforeAll(async () => {
    tea = await createMerchant('Tea market', { email: 'olga@tea.example', role: 'owner' });
    await createMerchant('100% Coffee_Bar', { email: 'olga@tea.example', role: 'viewer' });
    await createMerchant('Büchermarkt', { email: 'bo@books.example', role: 'owner' });
    await flow.admin('key create --test', { merchant: tea, kind: 'secret' });
  });

  it('shows live merchants with the addresses of their owners, newest first', async () => {
    const { merchants } = await flow.admin('merchant list', { email: 'olga@tea.example' });
    expect(merchants).toEqual([
      expect.objectContaining({ name: '100% Coffee_Bar', owners: [] }),
      {
        id: tea,
        name: 'Tea market',
        timezone: 'Asia/Seoul',
        owners: ['olga@tea.example'],
        paused: [],
        createdAt: expect.anything(),
      },
    ]);
  });

  it.each([
    [{ name: 'MARK' }, ['Büchermarkt', 'Tea market']],
    [{ name: 'Büch' }, ['Büchermarkt']],
    [{ name: '%' }, ['100% Coffee_Bar']],
    [{ name: 'mark', email: 'Olga@Tea.example' }, ['Tea market']],
    [{ name: 'mark', limit: '1' }, ['Büchermarkt']],
    [{ email: 'nobody@tea.example' }, []],
  ])('finds the merchants of %j', async (options, names) => {
    expect(await namesOf(options)).toEqual(names);
  });
});

describe('reward export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rewardhook-export-'));
  let merchant: Merchant;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  const path = join(folder, 'rewards.csv');
  const run = (options: Record<string, string> = {}) =>
    flow.admin('reward export', { merchant: merchant.id, file: path, ...options });
  const header =
    'reward_id,state,role,member_id,order_id,type,amount,unit,program_version,referral_id,created_at,confirmed_at,ended_at';

  /** Rewards of a merchant, each for a different order. */
  const reward = (id: string, day: number, fields: object = {}, merchantId = merchant.id) => ({
    merchantId,
    id,
    programId: 'prg',
    programVersion: 1,
    referralId: 'ref',
    subject: `order:${id}`,
    role: 'referee',
    memberId: 'bob',
    orderId: id,
    type: 'points',
    amount: 3_000,
    unit: 'points',
    month: '2026-11',
    state: 'confirmed',
    createdAt: new Date(Date.UTC(2026, 10, day)),
    confirmedAt: new Date(Date.UTC(2026, 10, day, 1)),
    ...fields,
  });

  beforeAll(async () => {
    const formulas = { memberId: '=HYPERLINK("https://evil.example","x")', unit: '+1,2', orderId: '@a\r\nb' };
    await flow.database.reward.createMany({
      data: [
        reward('b', 2, { state: 'revoked', endedAt: new Date(Date.UTC(2026, 10, 9)) }),
        reward('a', 1, { memberId: '김, "철수"' }),
        reward('c', 3, { ...formulas, state: 'pending', confirmedAt: null }),
        reward('foreign', 1, {}, (await flow.openMerchant()).id),
      ],
    });
  });

  it('writes all rewards of the merchant, oldest first, with quotes and without formulas', async () => {
    expect(await run()).toEqual({ rows: 3, file: path });
    expect(readFileSync(path, 'utf8')).toBe(
      [
        header,
        'a,confirmed,referee,"김, ""철수""",a,points,3000,points,1,ref,2026-11-01T00:00:00.000000Z,2026-11-01T01:00:00.000000Z,',
        'b,revoked,referee,bob,b,points,3000,points,1,ref,2026-11-02T00:00:00.000000Z,2026-11-02T01:00:00.000000Z,2026-11-09T00:00:00.000000Z',
        `c,pending,referee,"'=HYPERLINK(""https://evil.example"",""x"")","'@a\r\nb",points,3000,"'+1,2",1,ref,2026-11-03T00:00:00.000000Z,,`,
        '',
      ].join('\r\n'),
    );
  });

  it('filters by state, and by a day or a date-time', async () => {
    expect((await run({ state: 'revoked' }))['rows']).toBe(1);
    expect((await run({ since: '2026-11-02' }))['rows']).toBe(2);
    expect((await run({ since: '2026-11-02T00:00:00Z', state: 'pending' }))['rows']).toBe(1);
    expect((await run({ since: '2027-01-01' }))['rows']).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(`${header}\r\n`);
  });

  it('reads page after page without losing or repeating a row', async () => {
    const many = await flow.openMerchant();
    await flow.database.$executeRaw`
      INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
        type, amount, unit, state, month, created_at)
      SELECT ${many.id}, 'r' || i, 'prg', 1, 'ref', 'order:' || i, 'referee', 'bob', i, 'points', 1, 'points', 'pending',
        '2026-11', timestamptz '2026-11-01T00:00:00Z' + make_interval(days => i % 3)
      FROM generate_series(1, 2500) AS i`;
    expect((await run({ merchant: many.id }))['rows']).toBe(2_500);
    const ids = readFileSync(path, 'utf8').split('\r\n').slice(1, -1);
    expect(new Set(ids.map((line) => line.split(',')[0])).size).toBe(2_500);
  });

  it('reports invalid options, and leaves no partial file', async () => {
    await expect(run({ state: 'given' })).rejects.toThrow('--state must be one of pending, confirmed');
    await expect(run({ since: 'x' })).rejects.toThrow('--since must be a date such as');
    await expect(run({ merchant: 'mer_nosuch' })).rejects.toThrow('There is no merchant mer_nosuch.');
    await expect(run({ file: join(folder, 'no/such/folder.csv') })).rejects.toThrow('cannot be written');
    await expect(run({ file: folder })).rejects.toThrow('cannot be written');
    expect(readdirSync(folder)).toEqual(['rewards.csv']);
  });
});

describe('doctor --after-restore', () => {
  const doctor = (restoredTo: string) => flow.admin('doctor', { 'after-restore': restoredTo });

  it('lists what is queued and the rows that jobs refer to and that do not exist, and raises the versions above the stored ones', async () => {
    const { redisUrl, prefix } = flow.environment;
    const merchant = await flow.openMerchant();
    await flow.sync(merchant, buildOrder());
    const redis = connectWorker(redisUrl, testLog);
    await waitFor(() => redis.status === 'ready', { everyMs: 5 });
    const gone = { merchantId: 'mer_gone' };
    const sync = openQueues(redis, prefix, 1, ['sync'])[0]!;
    await sync.add('sync', { v: 1, ...gone, version: 1, count: 1, orders: JSON.stringify([buildOrder()]) });
    // A damaged job does not matter.
    const damaged = await sync.add('sync', {});
    await redis.hset(sync.toKey(String(damaged.id)), 'data', '{"merchantId":"Kim');
    const evaluation = openProducer('reward-evaluation', redis, prefix);
    await evaluation.enqueue([{ ...gone, batchId: crypto.randomUUID(), orders: 1 }]);
    const delivery = openProducer('webhook-delivery', redis, prefix);
    await delivery.enqueue([{ ...gone, endpointId: 'whk_gone' }]);
    const stored = (Date.now() + 3_600_000) * 1_000;
    await raiseVersionCeiling(flow.database, stored);
    await redis.del(`${prefix}:order-version`);

    const report = await doctor('true');
    expect(report).toMatchObject({
      consistent: true,
      missingSince: null,
      ordersStoredSince: null,
      deliveriesPending: 0,
      jobs: {
        requests: 2,
        requestsOfUnknownMerchants: 1,
        unknownMerchants: ['mer_gone'],
        unknownBatches: 1,
        unknownEndpoints: 1,
        more: false,
      },
      versions: { lastInRedis: null },
    });
    const { ceiling, next } = report['versions'] as { ceiling: number; next: number };
    expect(ceiling).toBeGreaterThan(stored);
    expect(next).toBeGreaterThan(ceiling);
    await Promise.all([sync.close(), evaluation.close(), delivery.close()]);
    await disconnect(redis);
  });

  it('takes the moment that was restored, and refuses other texts', async () => {
    const moment = '2026-11-22T03:00:00.000Z';
    const report = await doctor(moment);
    expect(report).toMatchObject({ missingSince: new Date(moment), ordersStoredSince: 0 });
    expect((report['steps'] as string[]).length).toBeGreaterThan(3);
    await expect(doctor('yesterday')).rejects.toThrow('--after-restore must be true, or the restored moment');
  });
});

describe('figures rebuild', () => {
  it('writes the rows of a merchant again, and prints what it examined and what was wrong', async () => {
    const merchant = String((await flow.admin('merchant create', { name: 'Tea shop' }))['merchantId']);
    const order = await storeOrder(merchant, 'o1');
    await flow.database.referredOrder.create({
      data: { ...order, referralId: 'ref_gone', programVersion: 1, revenue: 1, isFirst: true },
    });
    const examined = { ordersExamined: 1, rowsWritten: 0, firstOrdersChanged: 0 };
    const rebuild = () => flow.admin('figures rebuild', { merchant });
    expect(await rebuild()).toEqual({ ...examined, rowsRemoved: 1 });
    expect(await rebuild()).toEqual({ ...examined, rowsRemoved: 0 });
  });
});

describe('merchant find', () => {
  let merchant: Merchant;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
    await flow.openMerchant();
  });

  const find = async (options: Record<string, string>) => {
    const { merchants } = await flow.admin('merchant find', options);
    return (merchants as { id: string; found: string }[]).map(({ id, found }) => [id, found]);
  };

  it('finds a merchant by the address of a user, and by its contact address', async () => {
    await flow.database.user.create({
      data: {
        id: 'usr_1',
        email: 'ann@shop.example',
        passwordHash: '',
        memberships: { create: { merchantId: merchant.id, role: 'viewer' } },
      },
    });
    const data = { contactEmail: 'Contact@shop.example' };
    await flow.database.merchant.update({ where: { id: merchant.id }, data });
    expect(await find({ email: 'Ann@Shop.example' })).toEqual([[merchant.id, 'usr_1']]);
    expect(await find({ email: 'contact@shop.example' })).toEqual([[merchant.id, 'contact']]);
    expect(await find({ email: 'nobody@shop.example' })).toEqual([]);
  });

  it('finds a merchant by the end of a key, and by an order', async () => {
    const [key] = await flow.database.apiKey.findMany({ where: { merchantId: merchant.id, kind: 'secret' } });
    expect(await find({ 'key-ends': merchant.secretKey.slice(-4) })).toEqual([[merchant.id, key?.id]]);
    await storeOrder(merchant.id, 'A-77');
    expect(await find({ order: 'A-77' })).toEqual([[merchant.id, 'A-77']]);
  });

  it('finds a merchant by a part of a URL, and webhook find the webhook', async () => {
    const url = 'https://hooks.example.com/50%_off?token=t';
    const { webhookId } = await flow.admin('webhook add', {
      merchant: merchant.id,
      url,
      events: 'reward.issue',
    });
    expect(await find({ url: 'hooks.example.com/50%_off' })).toEqual([[merchant.id, webhookId]]);
    expect(await find({ url: 'hooks.example.com/50__off' })).toEqual([]);
    const { webhooks } = await flow.admin('webhook find', { url: 'hooks.example' });
    expect(webhooks).toEqual([
      { merchantId: merchant.id, merchantName: expect.any(String), webhookId, url, status: 'active' },
    ]);
  });

  it('needs exactly one thing to look for', async () => {
    const wanted = 'Give one of --email, --url, --key-ends and --order.';
    await expect(find({})).rejects.toThrow(wanted);
    await expect(find({ order: 'A-77', url: 'x' })).rejects.toThrow(wanted);
  });
});
