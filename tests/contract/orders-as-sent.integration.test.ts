import fc from 'fast-check';
import { readJson, validateSyncBody, validateSyncRequest } from '@rewardhook/contract';
import type { OrdersPart, SyncRequestValidation } from '@rewardhook/contract';
import { openDatabase, upsertOrders } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { createTestDatabase } from '@rewardhook/testing';
import { acceptableBody } from '../../packages/contract/testing/arbitrary-body.ts';
import { openCleanup } from '../harness/index.ts';

const limits = { maxOrdersPerPart: 2, timeZone: 'Asia/Seoul' };

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

  const partsOf = (validation: SyncRequestValidation): OrdersPart[] => {
    if (validation.kind !== 'valid') throw new Error(`not accepted: ${JSON.stringify(validation.params)}`);
    return validation.parts;
  };
  const sentParts = (body: string) => partsOf(validateSyncBody(Buffer.from(body), limits));
  function canonicalParts(body: string): OrdersPart[] {
    const reading = readJson(Buffer.from(body));
    if (!reading.ok) throw new Error(`not JSON: ${body}`);
    return partsOf(validateSyncRequest(reading.value, limits));
  }

  /** The rows of the orders as text, because the JSON of items and the digits of numbers count. */
  async function rowsOf(merchantId: string, parts: OrdersPart[]): Promise<unknown[]> {
    await upsertOrders(
      database,
      parts.map(({ pieces }) => ({ merchantId, version: 1, orders: Buffer.concat(pieces).toString() })),
    );
    return database.query(
      `SELECT order_id, member_id, order_amount::text, paid_amount::text, shipping_amount::text, order_date::text,
         first_order, paid_at::text, cancelled_at::text, returned_at::text, items::text
       FROM orders WHERE merchant_id = $1 ORDER BY order_id`,
      [merchantId],
    );
  }

  it('result in the same rows as their canonical form, however their JSON is written', async () => {
    let bodies = 0;
    let asSent = 0;
    await fc.assert(
      fc.asyncProperty(acceptableBody, async (body) => {
        bodies += 1;
        const [sent, canonical] = [sentParts(body), canonicalParts(body)];
        if (sent.every(({ pieces }) => body.includes(Buffer.concat(pieces).toString().slice(1, -1))))
          asSent += 1;
        expect(sent.map(({ orders }) => orders)).toEqual(canonical.map(({ orders }) => orders));
        expect(await rowsOf(`sent-${bodies}`, sent)).toEqual(await rowsOf(`canonical-${bodies}`, canonical));
      }),
      { numRuns: 150 },
    );
    // Both ways occur.
    expect(Math.min(asSent, bodies - asSent)).toBeGreaterThan(bodies / 10);
  });
});
