import { createTestDatabase, runSql } from '@rewardhook/testing/servers';
import { openDatabase } from './prisma.ts';

describe('$transaction', () => {
  it('runs on a connection of the pool, with the settings of its sessions, and its SQL runs inside of it', async () => {
    const test = await createTestDatabase();
    await runSql(
      test.url,
      `ALTER DATABASE "${new URL(test.url).pathname.slice(1)}" SET timezone = 'Asia/Seoul'`,
    );
    const database = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
    const host = 'shop.example';
    const found = database.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO webhook_hosts (host, next_at) VALUES (${host}, '2026-11-21T10:00:00Z')`;
      const stored = await tx.webhookHost.findUnique({ where: { host } });
      const [settings] = await tx.$queryRaw<object[]>`
        SELECT current_setting('TimeZone') AS zone, current_setting('lock_timeout') AS "lockTimeout",
          current_setting('statement_timeout') AS "statementTimeout"`;
      expect(settings).toEqual({ zone: 'UTC', lockTimeout: '10s', statementTimeout: '30s' });
      expect(stored).toEqual({ host, nextAt: new Date('2026-11-21T10:00:00Z') });
      throw new Error('rolled back');
    });
    await expect(found).rejects.toThrow('rolled back');
    expect(await database.webhookHost.count()).toBe(0);
    await database.$disconnect();
    await test.drop();
  });
});
