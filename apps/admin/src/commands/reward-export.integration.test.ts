import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

const folder = mkdtempSync(join(tmpdir(), 'rewardhook-export-'));
let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  merchant = await flow.openMerchant();
});
afterAll(async () => {
  await flow.close();
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

describe('reward export', () => {
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
