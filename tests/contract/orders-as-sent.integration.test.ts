import fc from 'fast-check';
import { readJson, validateSyncRequest } from '@rewardhook/contract';
import type { OrdersPart } from '@rewardhook/contract';
import { openDatabase, upsertOrders } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { createTestDatabase } from '@rewardhook/testing';
import { acceptableBody } from '../../packages/contract/testing/arbitrary-body.ts';
import { openCleanup } from '../harness/index.ts';

const limits = { maxOrders: 100, maxOrdersPerPart: 2, timeZone: 'Asia/Seoul' };

describe('Orders that are stored as they were sent', () => {
  const cleanup = openCleanup();
  let database: Database;
  beforeAll(async () => {
    const testDatabase = await createTestDatabase();
    cleanup.add(() => testDatabase.drop());
    database = openDatabase({ url: testDatabase.url, poolSize: 2, applicationName: 'test' });
    cleanup.add(() => database.$disconnect());
  });
  afterAll(() => cleanup.run());

  async function partsOf(body: string, withBytes: boolean): Promise<OrdersPart[]> {
    const bytes = Buffer.from(body);
    const reading = readJson(bytes);
    if (!reading.ok) throw new Error(`not JSON: ${body}`);
    const validation = await validateSyncRequest(reading.value, limits, withBytes ? bytes : undefined);
    if (validation.kind !== 'valid') throw new Error(`not accepted: ${JSON.stringify(validation.params)}`);
    return validation.parts;
  }

  /** The rows of the orders as text, because the JSON of items and the digits of numbers count. */
  async function rowsOf(merchantId: string, parts: OrdersPart[]): Promise<unknown[]> {
    await upsertOrders(
      database,
      parts.map(({ json }) => ({ merchantId, version: 1, json: json.toString() })),
    );
    return database.query(
      `SELECT order_id, member_id, order_amount::text, paid_amount::text, shipping_amount::text, order_date::text,
         first_order, paid_at::text, cancelled_at::text, returned_at::text, items::text
       FROM orders WHERE merchant_id = $1 ORDER BY order_id`,
      [merchantId],
    );
  }

  it('result in the same rows as their canonical form, however their JSON is written', async () => {
    let merchants = 0;
    let forwarded = 0;
    let bodies = 0;
    await fc.assert(
      fc.asyncProperty(acceptableBody, async (body) => {
        merchants += 1;
        const [sent, printed] = [await partsOf(body, true), await partsOf(body, false)];
        bodies += 1;
        if (sent.some(({ json }, index) => !json.equals(printed[index]!.json))) forwarded += 1;
        expect(sent.map(({ orders }) => orders)).toEqual(printed.map(({ orders }) => orders));
        expect(await rowsOf(`sent-${merchants}`, sent)).toEqual(
          await rowsOf(`printed-${merchants}`, printed),
        );
      }),
      { numRuns: 400 },
    );
    // Both ways occur.
    expect(forwarded).toBeGreaterThan(bodies / 10);
    expect(forwarded).toBeLessThan(bodies);
  });
});
