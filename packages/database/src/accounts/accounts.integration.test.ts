import { randomBytes } from 'node:crypto';
import { insertTestMerchants } from '../fixtures/test-merchants.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { listSigningKeys, rotateSigningKey } from '../merchants/signing-keys.ts';
import type { TeamRole } from '../states.ts';
import { findFormerIdentitySecrets, replaceIdentitySecret } from '../merchants/identity-secrets.ts';
import { findIdentitySecret } from '../merchants/merchants.ts';
import { formerIdentitySecretContext, identitySecretContext, openSealer } from '../merchants/sealer.ts';
import { claimAccountMail, insertAccountMail } from './account-mails.ts';
import { insertInvitation, listInvitations, newInvitation, revokeInvitation } from './invitations.ts';
import { findPasswordReset, upsertPasswordReset } from './password-resets.ts';
import { findSession, insertSession, updateSessionMerchant } from './sessions.ts';
import { findSignUp, insertSignUp } from './sign-ups.ts';

describe('The clock of a process', () => {
  const merchantId = 'mer_1';
  const email = 'ann@shop.example';
  const hour = 3_600_000;
  const tokenOf = (path: string | undefined) => String(path?.split('/').at(-1));
  useDatabase(2);
  beforeAll(async () => {
    await insertTestMerchants(merchantId);
    await database.user.create({ data: { id: 'usr_1', email, passwordHash: 'hash' } });
    await database.membership.create({ data: { merchantId, userId: 'usr_1', role: 'owner' } });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Sets the clock of this process, but not that of the database. */
  function setClock(offset: number): void {
    const timers = [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
    ] as const;
    const more = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
    jest.useFakeTimers({ now: Date.now() + offset, doNotFake: [...timers, ...more] });
  }

  it.each([
    ['behind', -2 * hour],
    ['ahead', 2 * hour],
  ])('A process whose clock is two hours %s decides by the clock of the database', async (_name, offset) => {
    setClock(offset);
    const reset = await upsertPasswordReset(database, email);
    const signUp = await insertSignUp(database, email);
    const { row } = newInvitation({ merchantId, email, role: 'viewer' });
    const invitation = await insertInvitation(database, row, { mail: false });
    const session = {
      userId: 'usr_1',
      passwordHash: 'hash',
      merchantId,
      userAgent: '',
      enteredPassword: true,
    };
    const idSha256 = Buffer.alloc(32, offset < 0 ? 1 : 2);
    await insertSession(database, { ...session, idSha256 }, { idleSeconds: 600, maxSeconds: 6_000 });
    jest.useRealTimers();
    const minutesLeft = (until: string | Date | undefined) =>
      Math.round((new Date(until ?? 0).getTime() - Date.now()) / 60_000);
    const [stored] = await database.session.findMany({ where: { idSha256 } });
    expect(
      [reset?.expiresAt, signUp.expiresAt, invitation.expiresAt, stored?.expiresAt].map(minutesLeft),
    ).toEqual([60, 24 * 60, 7 * 24 * 60, 10]);

    setClock(offset);
    expect(await findPasswordReset(database, tokenOf(reset?.path))).toMatchObject({ email });
    expect(await findSignUp(database, tokenOf(signUp.path))).toMatchObject({ email });
    expect(await findSession(database, idSha256, { idleSeconds: 600, maxSeconds: 6_000 })).toMatchObject({
      email,
    });
    expect(await listInvitations(database, merchantId)).toEqual([invitation]);
    await insertAccountMail(database, { kind: 'password_reset', recipient: email });
    expect((await claimAccountMail(database, 60))?.age).toBeLessThan(60);
    await rotateSigningKey(database, { id: `key_${offset}`, merchantId, sealedSecret: '' }, 3_600);
    expect(
      (await listSigningKeys(database, merchantId)).map(({ id, promoted }) => [id, promoted]),
    ).toContainEqual(['key_-7200000', true]);
    expect(await revokeInvitation(database, merchantId, invitation.id)).toBe(true);
    await database.$executeRaw`UPDATE sessions SET expires_at = now() - interval '1 minute'`;
    await database.$executeRaw`UPDATE password_resets SET expires_at = now() - interval '1 minute'`;
    expect(await findSession(database, idSha256, { idleSeconds: 600, maxSeconds: 6_000 })).toBeUndefined();
    expect(await findPasswordReset(database, tokenOf(reset?.path))).toBeUndefined();
  });
});

describe('Invitations', () => {
  const merchantId = 'mer_1';
  useDatabase(6);
  beforeAll(async () => {
    await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
  });

  it('Of concurrent invitations of one address, one stays open', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = `guest-${round}@shop.example`;
      const invite = (role: TeamRole) =>
        insertInvitation(database, newInvitation({ merchantId, email, role }).row, { mail: false });
      await Promise.all(
        (['owner', 'developer', 'viewer', 'owner', 'developer', 'viewer'] as const).map(invite),
      );
      const open = (await listInvitations(database, merchantId)).filter((one) => one.email === email);
      expect(open.length).toBe(1);
    }
  });
});

describe('Sessions', () => {
  const times = { idleSeconds: 600, maxSeconds: 6_000 };
  const idSha256 = Buffer.alloc(32, 1);
  const user = { id: 'usr_1', email: 'ann@shop.example', passwordHash: 'hash' };
  useDatabase(4);

  it('A session that is extended keeps the merchant that is selected at the same time', async () => {
    await database.user.create({ data: user });
    await insertTestMerchants('mer_1', 'mer_2');
    for (const merchantId of ['mer_1', 'mer_2'])
      await database.membership.create({ data: { merchantId, userId: user.id, role: 'owner' } });
    const session = {
      idSha256,
      userId: user.id,
      passwordHash: 'hash',
      merchantId: 'mer_1',
      userAgent: '',
      enteredPassword: true,
    };
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
});

describe('Keys and secrets of a merchant', () => {
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
});
