import type { Figure } from '../../report/figure.ts';
import { comparedFigure, compareSites } from './processor-time.ts';
import { hashOf, run } from './site.ts';
import type { Site } from './site.ts';

const section = 'Growth: processor time of PostgreSQL for 10,000 orders stored';
const perStatement = 2_000;

/**
 * A control for the orders with random ids: the keys of the orders, in a table with nothing but its primary key. What a row
 * costs more on the full table is what one insertion into a large index costs more on this machine.
 */
export async function measureOneIndex(
  pid: number,
  sites: { full: Site; empty: Site },
  { rounds, count }: { rounds: number; count: number },
): Promise<Figure> {
  for (const { sql } of [sites.full, sites.empty])
    for (const statement of [
      'DROP TABLE IF EXISTS one_index',
      'CREATE TABLE one_index AS SELECT merchant_id, order_id FROM orders',
      'ALTER TABLE one_index ADD PRIMARY KEY (merchant_id, order_id)',
    ])
      await sql.query(statement);
  let lastRow = 0;
  const compared = await compareSites(pid, sites, rounds, {
    count,
    prepare: async (site) => {
      if (site.name === 'empty') await site.sql.query('TRUNCATE one_index');
    },
    run: async ({ sql, merchants }) => {
      for (let done = 0; done < count; done += perStatement) {
        const rows = Array.from({ length: perStatement }, (_, index) => ({
          merchantId: merchants[index % merchants.length]?.id,
          orderId: hashOf(`row ${run} ${(lastRow += 1)}`, 16),
        }));
        await sql.query(
          'INSERT INTO one_index SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING',
          [rows.map(({ merchantId }) => merchantId), rows.map(({ orderId }) => orderId)],
        );
      }
    },
  });
  for (const { sql } of [sites.full, sites.empty]) await sql.query('DROP TABLE one_index');
  return comparedFigure(section, 'control: rows with random ids in a table with one index', compared);
}
