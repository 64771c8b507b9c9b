import { streamRewards } from '@rewardhook/database';
import { largeMerchant } from '../../large-database/fill-statements.ts';
import type { Figure } from '../../report/figure.ts';
import { comparedFigure, compareSites } from './processor-time.ts';
import { merchantOf } from './site.ts';
import type { Site } from './site.ts';

const section = 'Growth: processor time of PostgreSQL for 10,000 rewards exported';

/** Compares the export of a merchant's newest rewards with that of as many on otherwise empty tables. */
export async function measureExport(
  pid: number,
  sites: { full: Site; empty: Site },
  { rounds, count }: { rounds: number; count: number },
): Promise<Figure[]> {
  const merchants = {
    full: merchantOf(sites.full, largeMerchant),
    empty: merchantOf(sites.empty, largeMerchant),
  };
  const { rows } = await sites.full.sql.query<{ row: object; since: Date }>(
    `SELECT to_jsonb(w) || jsonb_build_object('merchant_id', $2::text) AS row, created_at AS since
     FROM rewards w WHERE merchant_id = $1 ORDER BY created_at DESC LIMIT $3`,
    [merchants.full, merchants.empty, count],
  );
  await sites.empty.sql.query('TRUNCATE rewards');
  await sites.empty.sql.query(
    `INSERT INTO rewards SELECT (jsonb_populate_record(NULL::rewards, row)).* FROM jsonb_array_elements($1::jsonb) AS row`,
    [JSON.stringify(rows.map(({ row }) => row))],
  );
  await sites.empty.sql.query('VACUUM ANALYZE rewards');
  const since = rows.at(-1)?.since as Date;
  const compared = await compareSites(pid, sites, rounds, {
    count: rows.length * repeats,
    async run({ name, database }) {
      for (let done = 0; done < repeats; done += 1)
        await streamRewards(database, merchants[name], { since, state: null }, () => Promise.resolve());
    },
  });
  return [comparedFigure(section, "a merchant's newest rewards", compared, { of: 'ratio', atMost: 1.3 })];
}

/** The clock of processor time has ticks of 10 ms. */
const repeats = 10;
