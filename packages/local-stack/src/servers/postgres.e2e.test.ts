import { join } from 'node:path';
import { Client } from 'pg';
import { identityOf } from '../processes/process-identity.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startPostgres } from './postgres.ts';
import type { Server } from './server.ts';

describe('The embedded PostgreSQL', () => {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, 'postgres');
  let server: Server;
  afterEach(() => server.stop());
  afterAll(() => folder.remove());

  async function query<T extends object>(sql: string, url = server.url): Promise<T[]> {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<T>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('keeps committed data when it is killed, and starts again on the same port', async () => {
    server = await startPostgres({ dataDir, password: 'secret' });
    await query("CREATE TABLE kept AS SELECT 'still here' AS text");
    server.kill('SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });

    server = await startPostgres({ dataDir, password: 'secret', port: Number(new URL(server.url).port) });
    expect(await query('SELECT text FROM kept')).toEqual([{ text: 'still here' }]);
  });

  it('requires the password, and syncs commits to the disk', async () => {
    server = await startPostgres({ dataDir, password: 'secret' });
    const wrong = server.url.replace('secret', 'guess');
    await expect(query('SELECT 1', wrong)).rejects.toThrow('password authentication failed');
    expect(await query('SHOW fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('leaves no process running after it is stopped, not even those of sessions', async () => {
    server = await startPostgres({ dataDir, password: 'secret' });
    const client = new Client({ connectionString: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const backend = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(identityOf(server.pid)).toBeUndefined();
    expect(backend.rows.map(({ pid }) => identityOf(pid))).toEqual([undefined]);
  });
});
