import { listSigningKeys, rotateSigningKey } from './signing-keys.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

useDatabase(6);

it('Of signing keys that are issued concurrently all but one expire', async () => {
  for (const merchantId of ['mer_1', 'mer_2', 'mer_3']) {
    await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
    const rotate = (number: number) =>
      rotateSigningKey(database, { id: `${merchantId}-${number}`, merchantId, sealedSecret: '' }, 3_600);
    await Promise.all([1, 2, 3, 4, 5, 6].map(rotate));
    const keys = await listSigningKeys(database, merchantId);
    expect(keys.filter(({ expiresAt }) => expiresAt === null).length).toBe(1);
  }
});
