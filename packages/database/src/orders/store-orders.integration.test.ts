import { Client } from 'pg';
import { databaseUrl, useDatabase } from '../fixtures/use-database.ts';

useDatabase(1);

/** The plans of the statements that storing an order runs, as auto_explain reports them. */
async function plansOfStoring(): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`LOAD 'auto_explain'; SET client_min_messages = log; SET auto_explain.log_min_duration = 0;
      SET auto_explain.log_nested_statements = on`);
    const plans: string[] = [];
    client.on('notice', ({ message }) => plans.push(message ?? ''));
    const order = { order_id: 'o', member_id: 'm', order_amount: 1, paid_amount: 1, shipping_amount: 0 };
    const orders = [{ ...order, order_date: '2026-11-22T10:00:00Z' }];
    await client.query('SELECT * FROM rules.store_orders($1::jsonb)', [
      JSON.stringify([{ merchantId: 'mer', version: 1, orders }]),
    ]);
    return plans;
  } finally {
    await client.end();
  }
}

describe('Storing orders', () => {
  it('finds referrals and decisions by key with plans that are kept, also when they were made for empty tables', async () => {
    const plan = (await plansOfStoring()).find((text) => text.includes('INSERT INTO due_batches')) ?? '';
    expect(plan).toMatch(
      /referrals_merchant_id_referee_member_id_key.*\n\s*Index Cond: .*merchant_id.*AND.*referee_member_id/,
    );
    expect(plan).toMatch(/decisions_pkey.*\n\s*Index Cond: .*merchant_id.*AND.*order_id/);
    expect(plan).not.toMatch(/Seq Scan/);
  });
});
