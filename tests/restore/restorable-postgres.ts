import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '@rewardhook/testing';
import { startPostgres } from '@rewardhook/testing/servers';

/** A PostgreSQL that is backed up and restored as docs/operations/back-up.md describes it. */
export interface RestorablePostgres {
  url: string;
  /** Copies the data of the stopped server. Returns the function that replaces the data by the copy. */
  copy(): Promise<() => Promise<void>>;
  /**
   * Copies the data of the running server. Returns the function that restores it and replays the archived WAL up to a
   * time of PostgreSQL.
   */
  backUp(): Promise<(until: string) => Promise<void>>;
  stop(): Promise<void>;
}

const cp = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

/** Starts a PostgreSQL that archives its WAL, in a folder that every user can read. */
export async function startRestorablePostgres(folder: string): Promise<RestorablePostgres> {
  const [data, archive] = [join(folder, 'data'), join(folder, 'archive')];
  const port = await freePort();
  const start = () => startPostgres({ dataDir: data, password: 'test', port });
  let server = await start();
  const { url } = server;
  const query = async <Row>(...statements: string[]): Promise<Row[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    let rows: Row[] = [];
    for (const statement of statements)
      ({ rows } = (await client.query(statement)) as unknown as { rows: Row[] });
    await client.end();
    return rows;
  };
  const ownByServer = (path: string) => {
    const { uid, gid } = statSync(data);
    chownSync(path, uid, gid);
  };
  mkdirSync(archive);
  ownByServer(archive);
  await query(
    'ALTER SYSTEM SET archive_mode = on',
    `ALTER SYSTEM SET archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
  );
  await server.stop();
  server = await start();
  let copies = 0;
  const newCopy = () => join(folder, `copy-${(copies += 1)}`);
  const replaceData = async (copy: string, prepare: () => void = () => undefined) => {
    await server.stop();
    rmSync(data, { recursive: true });
    cp(copy, data);
    prepare();
    server = await start();
  };

  return {
    url,
    async copy() {
      const copy = newCopy();
      await server.stop();
      cp(data, copy);
      server = await start();
      // The timeline is the same as before, so WAL files have names that the archive has already.
      return () =>
        replaceData(copy, () => readdirSync(archive).forEach((name) => rmSync(join(archive, name))));
    },
    async backUp() {
      const copy = newCopy();
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`SELECT pg_backup_start('restore test', fast => true)`);
      cp(data, copy);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
      await client.end();
      rmSync(join(copy, 'postmaster.pid'));
      writeFileSync(join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
      ownByServer(join(copy, 'backup_label'));
      return async (until) => {
        // The last WAL segment is archived when it is complete.
        await query('SELECT pg_switch_wal()');
        await replaceData(copy, () => {
          rmSync(join(data, 'pg_wal'), { recursive: true });
          mkdirSync(join(data, 'pg_wal'), { mode: 0o700 });
          writeFileSync(join(data, 'recovery.signal'), '');
          for (const name of ['pg_wal', 'recovery.signal']) ownByServer(join(data, name));
          appendFileSync(
            join(data, 'postgresql.auto.conf'),
            [
              `restore_command = 'cp ${archive}/%f %p'`,
              `recovery_target_time = '${until}'`,
              `recovery_target_action = 'promote'`,
              '',
            ].join('\n'),
          );
        });
      };
    },
    async stop() {
      await server.stop();
    },
  };
}
