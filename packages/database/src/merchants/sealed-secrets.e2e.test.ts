import { randomBytes } from 'node:crypto';
import { defaultTerms } from '@rewardhook/rewards';
import { checkDatabase } from '../client/check-database.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertMerchant, newMerchant } from './new-merchant.ts';
import { countSealedSecrets, resealSecrets } from './sealed-secrets.ts';
import { findFormerIdentitySecrets, replaceIdentitySecret } from './identity-secrets.ts';
import {
  formerIdentitySecretContext,
  identitySecretContext,
  openSealer,
  signingKeyContext,
} from './sealer.ts';

useDatabase(4);

const key = () => randomBytes(32).toString('base64');
const [first, second] = [key(), key()];
const plain = openSealer(first);
const both = openSealer(`second:${second},first:${first}`);
const withoutFirst = openSealer(`second:${second}`);
const merchants = 1_100;

/** Creates a merchant whose secrets are sealed by a sealer. */
async function create(sealer = plain): Promise<string> {
  const details = { name: 'Shop', timezone: 'UTC', createdBy: 'operator', terms: defaultTerms };
  const { row } = newMerchant({ ...details, signingSecret: 'whsec_x' }, sealer);
  await insertMerchant(database, row);
  return row.id;
}

/** Inserts many merchants at once, with a signing key each. */
async function createMany(count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `mer_${String(index).padStart(5, '0')}`);
  await database.merchant.createMany({
    data: ids.map((id) => ({
      id,
      name: 'Shop',
      identitySecret: plain.seal('ids_x', identitySecretContext(id)),
    })),
  });
  await database.signingKey.createMany({
    data: ids.map((id) => ({
      id: `sgk_${id}`,
      merchantId: id,
      secret: plain.seal('whsec_x', signingKeyContext(id, `sgk_${id}`)),
      promotedAt: new Date(),
    })),
  });
}

describe('The keys that stored secrets need', () => {
  it('must all be in the ring: without one of them the process does not start', async () => {
    await createMany(merchants);
    await expect(checkDatabase(database, plain)).resolves.toBeUndefined();
    await expect(checkDatabase(database, both)).resolves.toBeUndefined();
    await expect(checkDatabase(database, withoutFirst)).rejects.toThrow('SECRETS_KEY is not the key');
    // One merchant of a thousand was sealed by the new key.
    await create(both);
    await expect(checkDatabase(database, both)).resolves.toBeUndefined();
    await expect(checkDatabase(database, plain)).rejects.toThrow('SECRETS_KEY lacks a key');
    await expect(checkDatabase(database, plain)).rejects.toThrow('(second)');
    await expect(checkDatabase(database, withoutFirst)).rejects.toThrow('SECRETS_KEY lacks a key');
  });

  it('are counted', async () => {
    expect(await countSealedSecrets(database, both)).toEqual({
      keys: [
        { id: 'second', seals: true, identitySecrets: 1, signingKeys: 1 },
        { id: 'first', seals: false, identitySecrets: merchants, signingKeys: merchants },
      ],
      none: { identitySecrets: 0, signingKeys: 0 },
      toReseal: 2 * merchants,
    });
    expect(await countSealedSecrets(database, withoutFirst)).toMatchObject({
      none: { identitySecrets: merchants, signingKeys: merchants },
    });
  });
});

describe('A rotation', () => {
  it('keeps a secret that is changed at the same time, and says so', async () => {
    const id = 'mer_00700';
    const replaced = both.seal('ids_replaced', identitySecretContext(id));
    // A change that is made after the rotation has read the secret, and before it stores it.
    await database.$executeRawUnsafe(`
      CREATE FUNCTION concurrent_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.id = '${id}' THEN RETURN NULL; END IF; RETURN NEW; END $$`);
    await database.$executeRawUnsafe(
      'CREATE TRIGGER concurrent_change BEFORE UPDATE ON merchants FOR EACH ROW EXECUTE FUNCTION concurrent_change()',
    );
    const result = await resealSecrets(database, both);
    await database.$executeRawUnsafe('DROP TRIGGER concurrent_change ON merchants');
    expect(result).toEqual({
      resealed: 2 * merchants - 1,
      current: 2,
      changedMeanwhile: 1,
      unopened: { count: 0, examples: [] },
    });
    await database.merchant.update({ where: { id }, data: { identitySecret: replaced } });
    expect(await countSealedSecrets(database, both)).toMatchObject({ toReseal: 0 });
    const stored = await database.merchant.findUniqueOrThrow({ where: { id } });
    expect(withoutFirst.open(stored.identitySecret, identitySecretContext(id))).toBe('ids_replaced');
  });

  it('leaves nothing to do for another run, and the former key can be removed', async () => {
    expect(await resealSecrets(database, both)).toEqual({
      resealed: 0,
      current: 2 * merchants + 2,
      changedMeanwhile: 0,
      unopened: { count: 0, examples: [] },
    });
    await expect(checkDatabase(database, withoutFirst)).resolves.toBeUndefined();
    await expect(checkDatabase(database, plain)).rejects.toThrow('SECRETS_KEY is not the key');
    expect(await countSealedSecrets(database, withoutFirst)).toMatchObject({
      keys: [{ id: 'second', identitySecrets: merchants + 1, signingKeys: merchants + 1 }],
      none: { identitySecrets: 0, signingKeys: 0 },
    });
  });

  it('seals former identity secrets again too, whose key cannot be removed before', async () => {
    const id = await create(both);
    const row = await database.merchant.findUniqueOrThrow({ where: { id } });
    const secret = both.open(row.identitySecret, identitySecretContext(id));
    await replaceIdentitySecret(database, both, id, 3_600);
    const stored = async () => (await findFormerIdentitySecrets(database, id))[0];
    const context = formerIdentitySecretContext(id, (await stored())?.id ?? '');
    await database.formerIdentitySecret.updateMany({ data: { secret: plain.seal(secret, context) } });
    await expect(checkDatabase(database, withoutFirst)).rejects.toThrow('SECRETS_KEY lacks a key');
    expect(await countSealedSecrets(database, both)).toMatchObject({ toReseal: 1 });
    expect(await resealSecrets(database, both)).toMatchObject({ resealed: 1 });
    expect(withoutFirst.open((await stored())?.sealedSecret ?? '', context)).toBe(secret);
    await expect(checkDatabase(database, withoutFirst)).resolves.toBeUndefined();
    await database.formerIdentitySecret.deleteMany();
  });

  it('leaves a secret that no key opens as it is, and names it', async () => {
    const id = await create(openSealer(key()));
    const before = await database.merchant.findUniqueOrThrow({ where: { id } });
    const { unopened } = await resealSecrets(database, both);
    expect(unopened.count).toBe(2);
    expect(unopened.examples).toContainEqual({ kind: 'identitySecrets', merchantId: id, id });
    expect(await database.merchant.findUniqueOrThrow({ where: { id } })).toEqual(before);
  });
});
