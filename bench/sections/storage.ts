import { waitFor } from '@rewardhook/local-stack';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';
import { runOrders } from './run-orders.ts';

const section = 'Bytes that PostgreSQL writes';

/** The write-ahead log and the disk space of each order: without a link, and with a reward in five and its webhook. */
export async function measureStorage(bench: Bench): Promise<Figure[]> {
  const { orders } = bench.settings;
  const receiver = await openTask<null, { url: string }, number>('load/receiver.ts', null);
  const webhookUrl = `${receiver.ready.url}/hook`;
  try {
    bench.log('storage: no member linked, then every member linked with a webhook');
    const plain = await bytesOf(bench, () => runOrders(bench, { orders }));
    const linked = await bytesOf(bench, async () => {
      await runOrders(bench, { orders, linked: true, webhookUrl });
      await waitUntilDelivered(bench, webhookUrl);
    });
    return [
      ...figuresOf('no member linked', plain, orders),
      ...figuresOf('every member linked, one webhook', linked, orders),
    ];
  } finally {
    await receiver.close();
  }
}

interface Bytes {
  log: number;
  disk: number;
}

/** The bytes that a run adds. The checkpoint before it makes every page be logged in full once, as after any checkpoint. */
async function bytesOf(bench: Bench, run: () => Promise<unknown>): Promise<Bytes> {
  await waitUntilIdle(bench);
  await bench.sql.query('CHECKPOINT');
  const before = await readBytes(bench);
  await run();
  await waitUntilIdle(bench);
  const after = await readBytes(bench);
  return { log: after.log - before.log, disk: after.disk - before.disk };
}

async function readBytes({ sql }: Bench): Promise<Bytes> {
  const { rows } = await sql.query<Bytes>(
    `SELECT (pg_current_wal_lsn() - '0/0')::float8 AS log, pg_database_size(current_database())::float8 AS disk`,
  );
  return rows[0] as Bytes;
}

/** Waits for the deliveries to a URL: those of other sections may stay pending, since their webhooks are paused. */
function waitUntilDelivered({ sql }: Bench, url: string): Promise<unknown> {
  const none = async () => {
    const pending = await sql.query(
      `SELECT 1 FROM deliveries d JOIN endpoints p ON p.id = d.endpoint_id
       WHERE p.url = $1 AND d.state = 'pending' LIMIT 1`,
      [url],
    );
    return pending.rowCount === 0;
  };
  return waitFor(none, { deadlineMs: 120_000, what: 'all webhooks delivered' });
}

function figuresOf(what: string, { log, disk }: Bytes, orders: number): Figure[] {
  return [
    { section, name: `write-ahead log for each order, ${what}`, value: log / orders, unit: 'bytes' },
    { section, name: `tables and indexes for each order, ${what}`, value: disk / orders, unit: 'bytes' },
  ];
}
