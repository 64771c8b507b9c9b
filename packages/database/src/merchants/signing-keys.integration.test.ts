import { randomBytes } from 'node:crypto';
import { findFormerIdentitySecrets, replaceIdentitySecret } from './identity-secrets.ts';
import { findIdentitySecret } from './merchants.ts';
import { formerIdentitySecretContext, identitySecretContext, openSealer } from './sealer.ts';
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

it('Of identity secrets that replace one another concurrently one is the present one, and the newest five others are kept', async () => {
  const sealer = openSealer(randomBytes(32).toString('base64'));
  const id = 'mer_4';
  const first = sealer.seal('ids_first', identitySecretContext(id));
  await database.merchant.create({ data: { id, name: 'Tea shop', identitySecret: first } });
  const replaced = await Promise.all(
    Array.from({ length: 6 }, () => replaceIdentitySecret(database, sealer, id, 3_600)),
  );
  const present = sealer.open((await findIdentitySecret(database, id)) ?? '', identitySecretContext(id));
  const former = (await findFormerIdentitySecrets(database, id)).map((row) =>
    sealer.open(row.sealedSecret, formerIdentitySecretContext(id, row.id)),
  );
  const made = replaced.map((one) => one?.identitySecret ?? '');
  expect([present, ...former].toSorted()).toEqual(made.toSorted());
  expect(former).not.toContain(present);
});
