import { createTestDatabase } from '@rewardhook/testing';
import type { TestDatabase } from '@rewardhook/testing';
import { openDatabase } from './client.ts';
import type { Database } from './client.ts';
import { listSigningKeys, rotateSigningKey } from './signing-keys.ts';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  database = openDatabase({ url: test.url, poolSize: 6, applicationName: 'test' });
});
afterAll(async () => {
  await database.$disconnect();
  await test.drop();
});

it('of signing keys issued at the same moment all but one come to their end', async () => {
  for (const merchantId of ['mer_1', 'mer_2', 'mer_3']) {
    await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
    const promotedAt = new Date(Date.now() + 3_600_000);
    const rotate = (number: number) =>
      rotateSigningKey(database, { id: `${merchantId}-${number}`, merchantId, sealedSecret: '', promotedAt });
    await Promise.all([1, 2, 3, 4, 5, 6].map(rotate));
    const keys = await listSigningKeys(database, merchantId);
    expect(keys.filter(({ expiresAt }) => expiresAt === null).length).toBe(1);
  }
});
