import { temporaryFolder } from '@rewardhook/testing';
import { removeStackData, startStack } from '@rewardhook/testing/servers';
import type { Stack } from '@rewardhook/testing/servers';
import { Client } from 'pg';
import type { WebhookHealthRow } from '@rewardhook/database';
import { fillYear } from '../scripts/demo/fill-year.ts';
import { openDemoMerchant } from '../scripts/demo/open-demo-merchant.ts';
import type { DemoMerchant } from '../scripts/demo/open-demo-merchant.ts';
import { openLogin } from '../scripts/demo/open-login.ts';
import type { CallConsole } from '../scripts/demo/open-login.ts';
import { openPatientAdmin } from '../scripts/patient-admin.ts';

jest.setTimeout(300_000);

describe('The year of the demo', () => {
  const folder = temporaryFolder();
  let stack: Stack;
  let merchant: DemoMerchant;
  let sql: Client;
  let callConsole: CallConsole;

  beforeAll(async () => {
    stack = await startStack({ dataDir: folder.path, run: 'source' });
    const admin = openPatientAdmin(stack, 'source');
    merchant = await openDemoMerchant(admin, stack, () => undefined);
    ({ callConsole } = await openLogin(admin, stack, stack.consoleUrl, merchant.merchantId));
    await fillYear(admin, stack, merchant, callConsole);
    sql = new Client({ connectionString: stack.databaseUrl });
    await sql.connect();
  });
  afterAll(async () => {
    await sql?.end();
    await merchant?.receiver.close();
    await stack?.stop();
    removeStackData(folder.path);
  });

  const count = async (text: string): Promise<number> => {
    const { rows } = await sql.query<{ count: number }>(`SELECT count(*)::int ${text}`);
    return rows[0]?.count ?? Number.NaN;
  };

  it('has 5,000 orders, which arrived on their days, with cancelled and returned ones in every quarter', async () => {
    expect(await count('FROM orders')).toBe(5_000);
    expect(await count(`FROM orders WHERE created_at > order_date + interval '1 day'`)).toBe(0);
    for (const state of ['cancelled_at', 'returned_at'])
      for (const months of [0, 3, 6, 9])
        expect(
          await count(`FROM orders WHERE ${state} IS NOT NULL AND order_date
            BETWEEN now() - interval '${months + 3} months' AND now() - interval '${months} months'`),
        ).toBeGreaterThan(0);
  });

  it('has decisions and rewards under the version of the program that was in force on their day', async () => {
    const later = (table: string) =>
      `FROM ${table} d JOIN program_versions v ON v.merchant_id = d.merchant_id AND v.version = d.program_version
         LEFT JOIN program_versions n ON n.merchant_id = v.merchant_id AND n.version = v.version + 1
       WHERE d.created_at < v.published_at OR d.created_at >= n.published_at`;
    expect(await count('FROM program_versions WHERE published_at < now()')).toBeGreaterThanOrEqual(4);
    expect(await count(later('decisions'))).toBe(0);
    expect(await count(later('rewards'))).toBe(0);
    for (const version of [1, 2, 3, 4])
      expect(await count(`FROM decisions WHERE program_version = ${version}`)).toBeGreaterThan(100);
  });

  it('has deliveries of the last 60 days, with a week in which attempts failed, and referrals that wait for a review', async () => {
    expect(await count(`FROM deliveries WHERE created_at < now() - interval '61 days'`)).toBe(0);
    expect(await count(`FROM deliveries WHERE created_at < now() - interval '50 days'`)).toBeGreaterThan(0);
    expect(await count('FROM attempts WHERE status = 503')).toBeGreaterThan(20);
    expect(
      await count(
        `FROM deliveries WHERE last_attempt_at NOT BETWEEN created_at AND finished_at + interval '1 minute'`,
      ),
    ).toBe(0);
    expect(await count(`FROM referrals WHERE review = 'pending'`)).toBeGreaterThan(0);
    expect(await count('FROM reward_corrections')).toBe(3);
  });

  it('shows the week that failed in the health of its webhook over 30 days, and not in that of the last week', async () => {
    const { items } = await callConsole<{ items: { id: string; url: string }[] }>('GET', '/webhooks');
    const id = items.find(({ url }) => url.endsWith('/crm'))?.id;
    const { spans } = await callConsole<WebhookHealthRow>('GET', `/webhooks/${id}/health`);
    const failed = spans.map(({ failures }) => failures.find(({ outcome }) => outcome === '503')?.total ?? 0);
    expect(failed).toEqual([0, 0, await count('FROM attempts WHERE status = 503')]);
    for (const { attempts } of spans) expect(attempts).toBeGreaterThan(0);
  });
});
