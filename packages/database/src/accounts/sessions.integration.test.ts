import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { updateSessionMerchant, findSession, insertSession } from './sessions.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';

const times = { idleSeconds: 600, maxSeconds: 6_000 };
const idSha256 = Buffer.alloc(32, 1);
const user = { id: 'usr_1', email: 'ann@shop.example', passwordHash: 'hash' };
useDatabase(4);

it('A session that is extended keeps the merchant that is selected at the same time', async () => {
  await database.user.create({ data: user });
  await insertTestMerchants('mer_1', 'mer_2');
  for (const merchantId of ['mer_1', 'mer_2'])
    await database.membership.create({ data: { merchantId, userId: user.id, role: 'owner' } });
  const session = { idSha256, userId: user.id, passwordHash: 'hash', merchantId: 'mer_1', userAgent: '' };
  expect(await insertSession(database, session, times)).toBe(true);
  await database.$executeRaw`UPDATE sessions SET last_seen_at = now() - interval '2 minutes'`;
  const find = () => findSession(database, idSha256, times);
  const extending = await database.$transaction(async (tx) => {
    expect(await updateSessionMerchant(tx, idSha256, 'mer_2')).toBe(true);
    const found = find();
    // It has read the session before the change, and waits for the lock to extend it.
    await waitForLocks(database);
    return { found };
  });
  expect(await extending.found).toMatchObject({ merchantId: 'mer_1' });
  expect(await find()).toMatchObject({ merchantId: 'mer_2' });
});
