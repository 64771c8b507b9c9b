import { waitFor } from '@rewardhook/local-stack';
import { Client } from 'pg';
import type { Service } from '../service/open-service.ts';

/** Runs statements on a connection of its own. */
async function withConnection<T>(service: Service, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: service.stack.databaseUrl, application_name: 'chaos' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Makes every transaction of PostgreSQL read only, as a standby is, calls `meanwhile`, and undoes it. */
export async function whileReadOnly(service: Service, meanwhile: () => Promise<unknown>): Promise<void> {
  const set = (sql: string) =>
    withConnection(service, async (client) => {
      // The session of this command must be able to undo it.
      await client.query('SET default_transaction_read_only = off');
      await client.query(sql);
      await client.query('SELECT pg_reload_conf()');
    });
  await service.fault('read-only', 'postgres', 'default_transaction_read_only', async () => {
    await set('ALTER SYSTEM SET default_transaction_read_only = on');
    try {
      await meanwhile();
    } finally {
      await set('ALTER SYSTEM RESET default_transaction_read_only');
    }
    await service.stack.waitUntilReady(60_000);
  });
}

/** Connections that are opened at a time. */
const concurrent = 20;

/** Takes every connection that PostgreSQL has, also those of the service, calls `meanwhile`, and gives them back. */
export async function whileWithoutConnections(
  service: Service,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const taken: Client[] = [];
  /** Connects until PostgreSQL refuses it. */
  const take = async () => {
    for (;;) {
      const client = new Client({ connectionString: service.stack.databaseUrl, application_name: 'chaos' });
      client.on('error', () => undefined);
      try {
        await client.connect();
        taken.push(client);
      } catch (error) {
        // too_many_connections, also for the sessions that are reserved for a superuser
        if ((error as { code?: string }).code === '53300') return;
        throw error;
      }
    }
  };
  const hasTakenAll = async () => {
    await Promise.all(Array.from({ length: concurrent }, take));
    const ended = await taken[0]?.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> 'chaos' AND backend_type = 'client backend'",
    );
    // The service connects again at once, and gets some of the connections that it had.
    return ended?.rowCount === 0;
  };
  await service.fault('no-connections', 'postgres', 'all connections taken', async () => {
    try {
      await waitFor(hasTakenAll, { deadlineMs: 30_000, everyMs: 1, what: 'all connections of PostgreSQL' });
      await meanwhile();
    } finally {
      await Promise.all(taken.map((client) => client.end().catch(() => undefined)));
    }
    await service.stack.waitUntilReady(60_000);
  });
}
