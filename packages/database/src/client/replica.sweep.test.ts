import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runSql, startPostgres, startReplica, temporaryFolder, waitFor } from '@rewardhook/testing';
import type { Server } from '@rewardhook/testing';
import { openDatabase } from './client.ts';
import type { Database } from './client.ts';
import { openReplica } from './replica.ts';

// A streaming replica for real.
jest.setTimeout(120_000);

describe('The read replica', () => {
  const folder = temporaryFolder();
  const primaryDataDir = join(folder.path, 'primary');
  const servers: Server[] = [];
  const lines: string[] = [];
  const write = (message: string, fields?: object) =>
    void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  let replicaServer: Server;
  let primary: Database;
  let replica: ReturnType<typeof openReplica>;
  beforeAll(async () => {
    const primaryServer = await startPostgres({ dataDir: primaryDataDir, password: 'p', fsync: false });
    servers.push(primaryServer);
    await runSql(primaryServer.url, 'CREATE TABLE notes (text text)');
    replicaServer = await startReplica({
      primary: primaryServer,
      primaryDataDir,
      dataDir: join(folder.path, 'replica'),
      password: 'p',
    });
    servers.push(replicaServer);
    primary = openDatabase({ url: primaryServer.url, poolSize: 3, applicationName: 'test' });
    replica = openReplica({
      url: replicaServer.url,
      primary,
      poolSize: 3,
      applicationName: 'test',
      maxLagSeconds: 3,
      log: { info: write, warn: write },
    });
  });
  afterAll(async () => {
    await replica?.close();
    await primary?.$disconnect();
    for (const server of servers.toReversed()) await server.stop();
    folder.remove();
  });

  /** Where a list is read now. */
  const source = async () => {
    const [row] = await replica.read((database) =>
      database.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby'),
    );
    return row?.standby ? 'replica' : 'primary';
  };
  const readsFrom = (wanted: string) =>
    waitFor(async () => (await source()) === wanted, {
      deadlineMs: 20_000,
      what: `reads from the ${wanted}`,
    });
  const notes = async () =>
    (await replica.read((database) => database.query('SELECT text FROM notes'))).length;

  it('is read when it has replayed what the primary has committed', async () => {
    await primary.query("INSERT INTO notes VALUES ('one')");
    await readsFrom('replica');
    await waitFor(async () => (await notes()) === 1);
    expect(lines).toEqual(['lists are read from the replica {}']);
  });

  it('is not read when it is the replica of another database, or of the time before a restore', async () => {
    const restored = (history: string) =>
      ({
        query: (sql: string) => Promise.resolve(/history/.test(sql) ? [{ history }] : [{ position: '0/1' }]),
      }) as unknown as Database;
    const [own] = await primary.query<{ history: string }>(
      `SELECT system_identifier || ' ' || timeline_id AS history FROM pg_control_system(), pg_control_checkpoint()`,
    );
    const options = {
      url: replicaServer.url,
      poolSize: 1,
      applicationName: 'test',
      log: { info: write, warn: write },
    };
    const isRead = async (history: string) => {
      const from = restored(history);
      const opened = openReplica({ ...options, primary: from });
      await setTimeout(1_500);
      const read = await opened.read((database) => Promise.resolve(database !== from));
      await opened.close();
      return read;
    };
    const [same = '', timeline = ''] = (own?.history ?? '').split(' ');
    expect(await Promise.all([isRead(`${same} ${timeline}`), isRead(`${same} 2`), isRead('1 1')])).toEqual([
      true,
      false,
      false,
    ]);
    lines.length = 1;
  });

  it('is not read while it is too far behind', async () => {
    await runSql(replicaServer.url, 'SELECT pg_wal_replay_pause()');
    await primary.query("INSERT INTO notes VALUES ('two')");
    expect([await source(), await notes()]).toEqual(['replica', 1]);
    await readsFrom('primary');
    expect(await notes()).toBe(2);
    await waitFor(() =>
      lines.at(-1)?.startsWith('lists are read from the primary: the replica cannot be used'),
    );
    expect(lines.at(-1)).toContain('it is more than 3 s behind');
    await runSql(replicaServer.url, 'SELECT pg_wal_replay_resume()');
    await waitFor(() => lines.at(-1)?.startsWith('lists are read from the replica'));
    await readsFrom('replica');
    expect(await notes()).toBe(2);
  });

  it('that freezes during a read loses no read: the primary answers it', async () => {
    replicaServer.kill('SIGSTOP');
    // The server process of a connection continues, so a read is stopped where it waits: at the next connection.
    const reads = await Promise.all(Array.from({ length: 6 }, () => notes()));
    expect(reads).toEqual([2, 2, 2, 2, 2, 2]);
    replicaServer.kill('SIGCONT');
    await readsFrom('replica');
  });

  it('that ends loses no read, and writes one line to the log', async () => {
    const before = lines.length;
    await replicaServer.stop();
    for (let count = 0; count < 20; count += 1) expect(await notes()).toBe(2);
    await readsFrom('primary');
    await waitFor(() => lines.length > before);
    expect(lines.slice(before)).toHaveLength(1);
  });
});
