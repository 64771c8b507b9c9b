import { Client } from 'pg';
import { createTestDatabase, runSql } from './test-database.ts';

describe('A test database', () => {
  async function tables(url: string): Promise<string[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const found = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    await client.end();
    return found.rows.map(({ name }) => name);
  }

  it('has all tables, is not shared, and can be created by several tests at once', async () => {
    const databases = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
    const [first, second] = databases;
    await runSql(first.url, 'CREATE TABLE only_here (id int)');
    expect(await tables(first.url)).toEqual(expect.arrayContaining(['only_here', '_prisma_migrations']));
    expect(await tables(second.url)).not.toContain('only_here');
    await Promise.all(databases.map((database) => database.drop()));
    await expect(tables(first.url)).rejects.toThrow('does not exist');
  });
});
