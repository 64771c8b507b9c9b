import { randomBytes } from 'node:crypto';
import { freePort, waitFor } from '@rewardhook/testing';
import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import { openDatabase } from './prisma.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { defaultRule } from '@rewardhook/rewards';
import { insertMerchant, newMerchant } from '../merchants/new-merchant.ts';
import { openSealer } from '../merchants/sealer.ts';
import { watchDatabase } from './check-database.ts';

useDatabase(2);

function watch(
  ...[store, sealer]: [Parameters<typeof watchDatabase>[0], Parameters<typeof watchDatabase>[2]?]
) {
  const said: string[] = [];
  const failed: string[] = [];
  const closes: (() => unknown)[] = [];
  const say = (message: string) => void said.push(message);
  watchDatabase(
    store,
    {
      log: { info: say, warn: say },
      fail: (reason) => void failed.push(reason),
      release: (_name, close) => closes.push(close),
    },
    sealer,
  );
  return { said, failed, stop: () => closes.forEach((close) => close()) };
}

describe('The check of the database at the start of a process', () => {
  it('logs in one line that PostgreSQL is unavailable, without a stack trace and without the password', async () => {
    const url = `postgresql://u:hunter2@127.0.0.1:${await freePort()}/x`;
    const away = openDatabase({ url, poolSize: 1, applicationName: 'test' });
    const { said, failed, stop } = watch(away);
    await waitFor(() => said.length > 0);
    stop();
    expect(said).toEqual(['PostgreSQL cannot be reached. Waiting for it.']);
    expect(failed).toEqual([]);
    await away.$disconnect();
  });

  it('waits while the database is read-only, and says once when it is written again', async () => {
    const test = await createTestDatabase({
      of: 'database',
      settings: { default_transaction_read_only: 'on' },
    });
    const readOnly = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
    const { said, failed, stop } = watch(readOnly);
    try {
      await waitFor(() => said.length > 0);
      await runSql(
        String(process.env['TEST_DATABASE_URL']),
        `ALTER DATABASE ${new URL(test.url).pathname.slice(1)} SET default_transaction_read_only = off`,
      );
      await waitFor(() => said.length > 1);
      expect(said).toEqual([
        'PostgreSQL accepts no writes: it is read-only. Waiting for it.',
        'The database can be used now.',
      ]);
      expect(failed).toEqual([]);
    } finally {
      stop();
      await readOnly.$disconnect();
      await test.drop();
    }
  });

  it('ends the process when SECRETS_KEY does not open the stored secrets, and passes when it does', async () => {
    const [right, wrong] = [0, 1].map(() => openSealer(randomBytes(32).toString('base64')));
    if (!right || !wrong) throw new Error('no sealers');
    const given = {
      name: 'Shop',
      timezone: 'UTC',
      signingSecret: 'whsec_x',
      createdBy: 'operator',
      rule: defaultRule,
    };
    await insertMerchant(database, newMerchant(given, right).row);
    const bad = watch(database, wrong);
    await waitFor(() => bad.failed.length > 0);
    expect(bad.failed[0]).toMatch(/^SECRETS_KEY is not the key/);
    const good = watch(database, right);
    await database.$queryRaw`SELECT 1`;
    expect([good.said, good.failed]).toEqual([[], []]);
    good.stop();
  });
});
