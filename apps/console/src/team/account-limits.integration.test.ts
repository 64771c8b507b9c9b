import { accountLimits } from '@rewardhook/database';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { CredentialsView, SessionView, TeamView } from '../api-types.ts';

describe('Account limits', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    running = await openConsole(flow.environment);
    owner = await running.signUp('Busy shop');
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });
  const fill = (sql: string, ...values: unknown[]) => flow.database.$executeRawUnsafe(sql, ...values);
  const byNumber = (one: number, other: number) => one - other;

  it('The number of active API keys of a merchant is limited, also when two are created concurrently', async () => {
    const id = owner.merchant.id;
    await fill(
      `INSERT INTO api_keys (id, merchant_id, kind, name, sha256, prefix, last_four)
       SELECT 'key_full' || n, $1, 'secret', 'n', sha256(convert_to('full' || n, 'UTF8')), 'svc_sk_', 'last'
       FROM generate_series(1, $2::int) n`,
      id,
      accountLimits.apiKeys - 3,
    );
    const create = () => owner.browser.post('/credentials/api-keys', { kind: 'secret', name: 'more' });
    const made = await Promise.all([create(), create(), create()]);
    expect(made.map(({ status }) => status).toSorted(byNumber)).toEqual([201, 409, 409]);
    expect(made.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'conflict',
      message: 'A merchant has at most 50 API keys that are not revoked. Revoke one first.',
    });
    await expect(flow.admin('key create', { merchant: id, kind: 'secret' })).rejects.toThrow('at most 50');
    await fill(`UPDATE api_keys SET revoked_at = now() WHERE id LIKE 'key_full%'`);
    expect((await create()).status).toBe(201);
  });

  it('Open invitations, invitations per day and team members of a merchant are limited', async () => {
    const { browser, merchant } = await running.signUp('Inviting shop');
    const addInvitations = (age: string) =>
      fill(
        `INSERT INTO invitations (merchant_id, id, email, role, token_sha256, created_at, expires_at)
         SELECT $1, 'inv_' || $3 || n, n || '@example.com', 'viewer', sha256(convert_to($1 || $3 || n, 'UTF8')),
           now() - $3::interval, now() + interval '7 days' FROM generate_series(1, $2::int) n`,
        merchant.id,
        accountLimits.openInvitations - 1,
        age,
      );
    const invite = (name: string) =>
      browser.post('/team/invitations', { email: `${name}@example.com`, role: 'viewer' });
    await addInvitations('2 days');
    const both = await Promise.all([invite('ann'), invite('bob')]);
    expect(both.map(({ status }) => status).toSorted(byNumber)).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)?.body.message).toMatch(/at most 30 open invitations/);
    await fill(`UPDATE invitations SET revoked_at = now() WHERE merchant_id = $1`, merchant.id);
    await addInvitations('1 hour');
    await fill(`UPDATE invitations SET revoked_at = now() WHERE merchant_id = $1`, merchant.id);
    expect((await invite('cho')).body.message).toMatch(/at most 30 invitations in 24 hours/);
    await fill(`DELETE FROM invitations WHERE merchant_id = $1`, merchant.id);
    await fill(
      `INSERT INTO users (id, email, password_hash) SELECT 'usr_' || n, n || '@shop.example', '' FROM generate_series(1, $1::int) n`,
      accountLimits.teamSize - 1,
    );
    await fill(
      `INSERT INTO memberships (merchant_id, user_id, role) SELECT $1, 'usr_' || n, 'viewer'
       FROM generate_series(1, $2::int) n`,
      merchant.id,
      accountLimits.teamSize - 1,
    );
    expect((await invite('dan')).body.message).toMatch(/A team has at most 100 members/);
  });

  it('The merchants and the sessions of a user are limited', async () => {
    const { browser, email } = await running.signUp('First');
    const { user } = (await browser.get('/session')).data as SessionView;
    await fill(
      `INSERT INTO merchants (id, name, identity_secret) SELECT 'mer_many' || n, 'Many', '' FROM generate_series(1, $1::int) n`,
      accountLimits.merchantsPerUser - 2,
    );
    await fill(
      `INSERT INTO memberships (merchant_id, user_id, role) SELECT 'mer_many' || n, $1, 'viewer' FROM generate_series(1, $2::int) n`,
      user.id,
      accountLimits.merchantsPerUser - 2,
    );
    const more = () => browser.post('/merchants', { merchant_name: 'One more' });
    const both = await Promise.all([more(), more()]);
    expect(both.map(({ status }) => status).toSorted(byNumber)).toEqual([201, 409]);
    expect(both.find(({ status }) => status === 409)?.body.message).toBe(
      'A user belongs to at most 20 merchants.',
    );
    await fill(
      `INSERT INTO sessions (id_sha256, user_id, merchant_id, expires_at)
       SELECT sha256(convert_to('s' || n, 'UTF8')), $1, 'mer_many1', now() + interval '1 hour' FROM generate_series(1, 30) n`,
      user.id,
    );
    const fresh = running.browser();
    expect((await fresh.post('/sign-in', { email, password: goodPassword })).status).toBe(200);
    expect(await flow.database.session.count({ where: { userId: user.id } })).toBe(20);
    expect((await fresh.get('/session')).status).toBe(200);
  });

  it('A key shows its creator, and removing or demoting that user can revoke their keys and no others', async () => {
    const { browser, email, merchant } = await running.signUp('Keys shop');
    await flow.admin('key create', { merchant: merchant.id, kind: 'secret', name: 'by the operator' });
    const guest = await running.signUp('Guest shop');
    const { user } = (await guest.browser.get('/session')).data as SessionView;
    const asDeveloper = async (name: string) => {
      await fill(
        `INSERT INTO memberships (merchant_id, user_id, role) VALUES ($1, $2, 'developer')
         ON CONFLICT (merchant_id, user_id) DO UPDATE SET role = 'developer'`,
        merchant.id,
        user.id,
      );
      await guest.browser.post('/session/merchant', { merchant_id: merchant.id });
      expect((await guest.browser.post('/credentials/api-keys', { kind: 'secret', name })).status).toBe(201);
    };
    const keys = async () => ((await browser.get('/credentials')).data as CredentialsView).api_keys;
    const live = async () =>
      (await keys()).filter(({ revoked_at: at }) => at === null).map(({ name }) => name);
    await asDeveloper('by the guest');
    const creators = Object.fromEntries((await keys()).map((key) => [key.name, key.created_by]));
    expect(creators).toMatchObject({
      'first secret key': { email },
      'by the operator': 'operator',
      'by the guest': { user_id: user.id, email: guest.email },
    });
    const listed = await flow.admin('key list', { merchant: merchant.id });
    expect(JSON.stringify(listed)).toContain(guest.email);
    const team = (await browser.get('/team')).data as TeamView;
    expect(team.members.map((one) => [one.email, one.live_keys])).toEqual([
      // Two on each side.
      [email, 4],
      [guest.email, 1],
    ]);
    const path = `/team/members/${user.id}`;
    expect((await browser.send('PATCH', path, { role: 'viewer', revoke_keys: true })).status).toBe(200);
    expect(await live()).not.toContain('by the guest');
    await asDeveloper('again');
    expect((await browser.send('DELETE', path)).status).toBe(204);
    expect(await live()).toContain('again');
    await asDeveloper('and again');
    expect((await browser.send('DELETE', `${path}?revoke_keys=true`)).status).toBe(204);
    expect((await live()).toSorted()).toEqual(['by the operator', 'first public key', 'first secret key']);
  });
});
