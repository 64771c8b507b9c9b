import { fillStatements } from '../../large-database/fill-statements.ts';
import { openLargeDatabase } from '../../large-database/large-database.ts';
import { usesHugePages } from '../../measure/huge-pages.ts';
import type { Measured } from '../../measure/huge-pages.ts';
import { ratioOf } from '../../report/figure.ts';
import type { Figure } from '../../report/figure.ts';
import { measureDeliveries } from './deliveries.ts';
import { evaluateDue, measureEvaluation } from './evaluation.ts';
import { measureOneIndex } from './one-index.ts';
import { measureOrders } from './orders.ts';
import { measureExport } from './export.ts';
import { measureReading } from './reading.ts';
import { openSites } from './site.ts';
import type { Site } from './site.ts';
import { measureSizes } from './sizes.ts';

/** The size of a run. */
export interface GrowthSettings {
  /** Orders in the filled database. */
  orders: number;
  rounds: number;
  /** Orders of one round. */
  count: number;
  /** Orders after a checkpoint until the log has most pages. */
  cycle: number;
  /** Reads of each kind. */
  repetitions: number;
}

export const fullGrowth: GrowthSettings = {
  orders: 10_000_000,
  rounds: 3,
  count: 20_000,
  cycle: 300_000,
  repetitions: 40,
};

export const quickGrowth: GrowthSettings = {
  orders: 300_000,
  rounds: 1,
  count: 4_000,
  cycle: 8_000,
  repetitions: 10,
};

/** For tests. */
export const smallestGrowth: GrowthSettings = {
  orders: 100_000,
  rounds: 1,
  count: 2_000,
  cycle: 2_000,
  repetitions: 2,
};

/**
 * Compares the processor time of PostgreSQL on empty tables and on tables with the orders of the settings, and measures reads of
 * the full tables. `folder` is filled unless it has been filled before.
 */
export async function measureGrowth(
  settings: GrowthSettings,
  folder: string,
  log: (line: string) => void,
): Promise<Measured> {
  const { orders, rounds, count, cycle, repetitions } = settings;
  const large = await openLargeDatabase({ folder, orders, log });
  try {
    const { pid } = large.server;
    const sites = await openSites(large, orders);
    try {
      // When they run is a matter of chance. What they do is measured by `npm run bench -- soak`.
      for (const statement of ['ALTER SYSTEM SET autovacuum = off', 'SELECT pg_reload_conf()'])
        await sites.full.sql.query(statement);
      log('growth: reading the indexes of orders, as a server that runs for long has them in memory');
      await warmIndexes(sites.full);
      const figures: Figure[] = await measureSharedMemory(sites.full);
      const add = (measured: Figure[]) => {
        figures.push(...measured);
        for (const figure of measured) {
          const ratio = ratioOf(figure);
          log(
            `growth: ${figure.name}: ${figure.value.toFixed(2)} ${figure.unit}${ratio === undefined ? '' : `, ${ratio.toFixed(2)}×`}`,
          );
        }
      };
      add(await measureSizes(sites.full));
      add(await measureOrders(pid, sites, { rounds, count, cycle }));
      add([await measureOneIndex(pid, sites, { rounds, count })]);
      add(await measureEvaluation(pid, sites, { rounds, count: count / 10 }));
      add(await measureDeliveries(pid, sites, { rounds, count: count / 2 }));
      log('growth: evaluating what is due');
      await evaluateDue(sites.full);
      log('growth: vacuum');
      await sites.full.sql.query(`VACUUM (ANALYZE) ${fillStatements.map(({ table }) => table).join(', ')}`);
      add(await measureExport(pid, sites, { rounds, count: 10_000 }));
      add(await measureReading(sites.full, { repetitions, log: () => undefined }));
      await sites.full.sql.query('ALTER SYSTEM RESET autovacuum');
      return { figures, hugePages: await usesHugePages(sites.full.sql) };
    } finally {
      await Promise.all([sites.full.close(), sites.empty.close()]);
    }
  } finally {
    await large.server.stop();
  }
}

/** The shared memory of PostgreSQL, which the following figures depend on. */
async function measureSharedMemory({ sql }: Site): Promise<Figure[]> {
  const { rows } = await sql.query<{ megabytes: number }>(
    `SELECT pg_size_bytes(current_setting('shared_buffers')) / 1048576.0::float8 AS megabytes`,
  );
  const { megabytes } = rows[0] as (typeof rows)[0];
  return [{ section: 'Growth: memory of PostgreSQL', name: 'shared_buffers', value: megabytes, unit: 'MB' }];
}

async function warmIndexes({ sql }: Site): Promise<void> {
  const client = await sql.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL enable_seqscan = off');
    await client.query('SET LOCAL enable_bitmapscan = off');
    await client.query('SET LOCAL enable_sort = off');
    for (const column of ['order_id', 'member_id'])
      await client.query(
        `SELECT count(*) FROM (SELECT merchant_id, ${column} FROM orders ORDER BY 1, 2 OFFSET 0) read`,
      );
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}
