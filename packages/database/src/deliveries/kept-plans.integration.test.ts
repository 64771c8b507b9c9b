import { transact } from '../client/client.ts';
import { keepPlansSettings } from '../client/session.ts';
import { findSendableEndpoints } from '../endpoints/sendable-endpoints.ts';
import { buildAttempt } from '../fixtures/build-attempt.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { claimDeliveries, claimManualRetries } from './claim-deliveries.ts';
import { recordAttempts } from './record-attempts.ts';

// With one connection, all plans are those of that connection.
useDatabase(1);

it('The statements of a delivery keep plans that read by key, also when they were made for empty tables', async () => {
  const endpoint = { merchantId: 'mer_1', endpointId: 'whk_1' };
  const claim = { ...endpoint, url: 'https://shop.example/', limit: 1 };
  await findSendableEndpoints(database, [endpoint]);
  await claimDeliveries(database, [claim], 30);
  await claimManualRetries(database, [claim], 30);
  await recordAttempts(database, [buildAttempt({ deliveryId: crypto.randomUUID(), merchantId: 'mer_1' })]);

  const plans = await transact(database, async (tx) => {
    for (const [name, value] of keepPlansSettings) await tx.execute(`SET LOCAL ${name} = ${value}`);
    const kept = await tx.query<{ name: string; parameters: number }>(
      'SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements',
    );
    return Promise.all(
      kept.map(async ({ name, parameters }) => {
        const rows = await tx.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN EXECUTE ${name} (${Array.from({ length: parameters }, () => 'NULL').join(', ')})`,
        );
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      }),
    );
  });
  const indexes = plans.map((plan) =>
    [...plan.matchAll(/Scan using (\w+) on.*\n\s*Index Cond: (.*)/g)].map(
      ([, index, condition]) => `${index?.replace(/_p\d+_/, '_default_')} ${columnsIn(condition)}`,
    ),
  );
  const due = 'deliveries_due_idx endpoint_id next_attempt_at';
  const manual = 'deliveries_retry_idx endpoint_id retry_at';
  const event = 'events_default_pkey merchant_id id id created_at';
  expect(new Set(indexes.map((found) => [...new Set(found)].join(', ')))).toEqual(
    new Set([
      `endpoints_pkey id, ${manual}`,
      `endpoints_pkey id, ${due}, ${event}`,
      `endpoints_pkey id, ${manual}, ${event}`,
      'deliveries_pkey id',
    ]),
  );
  const scans = plans.join('\n').match(/Scan (?:using \w+ )?on (?:deliveries|events|endpoints)/g) ?? [];
  const byLocation = plans.join('\n').match(/Tid Scan on deliveries/g) ?? [];
  expect(scans.length - byLocation.length).toBe(indexes.flat().length);
  expect(plans.join()).not.toMatch(/Seq Scan|Hash Join|Merge Join|hashed/);
});

/** The columns that a condition of an index scan compares. */
function columnsIn(condition = ''): string {
  return [...condition.matchAll(/\((\w+) (?:=|<=|>=) /g)].map(([, column]) => column).join(' ');
}
