import { accountLimits } from '@rewardhook/database';
import { recordProblems } from '@rewardhook/database/operations';
import { parseTerms } from '@rewardhook/rewards';
import { findLink } from '@rewardhook/testing/mail';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { Browser, RunningConsole, SignedUpMerchant, Answer } from '../../testing/open-console.ts';
import type {
  ConsoleRole,
  CredentialsView,
  InviteResponse,
  Page,
  ProblemView,
  ProgramView,
  SessionView,
  TeamView,
  WebhookView,
} from '../api-types.ts';

let flow: Flow;
let running: RunningConsole;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  running = await openConsole(flow.environment);
});
afterAll(async () => {
  await running.close();
  await flow.close();
});

describe('The team of a merchant', () => {
  let shop: SignedUpMerchant;
  let count = 0;
  beforeAll(async () => {
    shop = await running.signUp('Team shop');
  });

  const invite = async (role: ConsoleRole, email = `guest-${(count += 1)}@example.com`) => {
    const before = running.mail.sentTo(email).length;
    const answer = await shop.browser.post('/team/invitations', { email, role });
    const { invitation } = answer.data as InviteResponse;
    const mail = await running.mail.waitFor(email, before + 1);
    return { email, id: invitation.id, token: findLink(mail).split('/').at(-1) as string, mail, answer };
  };
  const accept = (browser: Browser, token: string, password?: string) =>
    browser.post(`/invitations/${token}/accept`, password === undefined ? {} : { password });
  const join = async (role: ConsoleRole) => {
    const { email, token } = await invite(role);
    const browser = running.browser();
    const { data } = await accept(browser, token, goodPassword);
    return { browser, email, userId: (data as SessionView).user.id };
  };

  it('A new user accepts an invitation once, by a link that only they get, with a password of their choice', async () => {
    const { email, token, mail, answer } = await invite('viewer');
    expect(mail.text).toContain(`http://console.test/invitations/${token}`);
    expect(answer.text).not.toContain(token);
    const browser = running.browser();
    expect((await browser.get(`/invitations/${token}`)).data).toMatchObject({
      email,
      role: 'viewer',
      merchant: { name: 'Team shop' },
    });
    expect((await accept(browser, token)).body.params).toEqual({ password: 'is required' });
    expect((await accept(browser, token, 'short')).body.params).toHaveProperty('password');
    const accepted = await accept(browser, token, goodPassword);
    expect(accepted.data as SessionView).toMatchObject({ user: { email }, role: 'viewer' });
    expect((await browser.get('/session')).status).toBe(200);
    expect((await accept(running.browser(), token, goodPassword)).status).toBe(404);
    const team = (await shop.browser.get('/team')).data as TeamView;
    expect(team.members.map((member) => [member.email, member.role])).toEqual([
      [shop.email, 'owner'],
      [email, 'viewer'],
    ]);
    expect(team.invitations).toEqual([]);
  });

  it('An existing user accepts an invitation while signed in as the invited user or with their password', async () => {
    const [other, another] = [await running.signUp('First shop'), await running.signUp('Second shop')];
    const first = await invite('developer', other.email);
    const joined = (await accept(other.browser, first.token)).data as SessionView;
    expect(joined.merchants.map(({ name, role }) => [name, role])).toEqual([
      ['First shop', 'owner'],
      ['Team shop', 'developer'],
    ]);
    const second = await invite('viewer', another.email);
    const browser = running.browser();
    expect((await accept(browser, second.token, 'wrong password')).body.code).toBe('wrong_credentials');
    expect((await accept(other.browser, second.token)).status).toBe(400);
    expect((await accept(browser, second.token, goodPassword)).status).toBe(200);
    const again = { email: another.email.toUpperCase(), role: 'owner' };
    expect((await shop.browser.post('/team/invitations', again)).body.params).toEqual({
      email: 'is already in the team',
    });
  });

  it('An invitation can be withdrawn, and a new one for the same e-mail address ends the previous one', async () => {
    const first = await invite('viewer');
    const second = await invite('developer', first.email);
    expect((await running.browser().get(`/invitations/${first.token}`)).status).toBe(404);
    expect((await shop.browser.send('DELETE', `/team/invitations/${second.id}`)).status).toBe(204);
    expect((await running.browser().get(`/invitations/${second.token}`)).status).toBe(404);
    const third = await invite('viewer');
    await flow.database.$executeRaw`UPDATE invitations SET expires_at = now() WHERE id = ${third.id}`;
    expect((await accept(running.browser(), third.token, goodPassword)).status).toBe(404);
  });

  it('The last owner cannot leave, and a removed member loses access at once', async () => {
    const owner = (await shop.browser.get('/session')).data as SessionView;
    const path = `/team/members/${owner.user.id}`;
    expect((await shop.browser.send('PATCH', path, { role: 'viewer' })).body.code).toBe('conflict');
    expect((await shop.browser.send('DELETE', path)).body.code).toBe('conflict');
    const joined = await join('viewer');
    const memberPath = `/team/members/${joined.userId}`;
    const promoted = await shop.browser.send('PATCH', memberPath, { role: 'owner' });
    expect(promoted.data).toMatchObject({ user_id: joined.userId, role: 'owner' });
    expect((await joined.browser.send('PATCH', path, { role: 'developer' })).status).toBe(200);
    expect((await shop.browser.get('/team')).body.code).toBe('forbidden');
    expect((await joined.browser.send('PATCH', path, { role: 'owner' })).status).toBe(200);
    expect((await shop.browser.send('DELETE', memberPath)).status).toBe(204);
    expect((await joined.browser.get('/session')).body.code).toBe('login_required');
    const back = await joined.browser.post('/sign-in', { email: joined.email, password: goodPassword });
    expect(back.body.code).toBe('forbidden');
  });

  it('Owners can change the merchant', async () => {
    const changed = await shop.browser.send('PATCH', '/merchant', {
      name: 'Better shop',
      timezone: 'Europe/Berlin',
      contact_email: 'Ops@Example.com',
    });
    expect(changed.data).toMatchObject({
      name: 'Better shop',
      timezone: 'Europe/Berlin',
      contact_email: null,
      contact_email_pending: 'ops@example.com',
    });
    expect((await shop.browser.send('PATCH', '/merchant', {})).status).toBe(400);
    const cleared = await shop.browser.send('PATCH', '/merchant', { contact_email: null });
    expect(cleared.data).toMatchObject({
      name: 'Better shop',
      contact_email: null,
      contact_email_pending: null,
    });
  });

  it('An owner changes the limit of rewards by hand on both sides, which the activity shows', async () => {
    const { merchant, browser } = shop;
    const limits = async () => {
      const where = { OR: [{ id: merchant.id }, { liveMerchantId: merchant.id }] };
      const sides = await flow.database.merchant.findMany({ where });
      return sides.map(({ manualRewardLimit }) => Number(manualRewardLimit));
    };
    expect(await limits()).toEqual([1_000_000, 1_000_000]);
    const changed = await browser.send('PATCH', '/merchant', { manual_reward_limit: 5 });
    expect(changed.data).toMatchObject({ manual_reward_limit: 5 });
    expect(await limits()).toEqual([5, 5]);
    const { items } = (await browser.get('/audit')).data as { items: { action: string; details: object }[] };
    expect(items[0]).toMatchObject({
      action: 'merchant.changed',
      details: { changes: { manualRewardLimit: [1_000_000, 5] } },
    });
    const refused = await browser.send('PATCH', '/merchant', { manual_reward_limit: 0 });
    expect(Object.keys(refused.body.params ?? {})).toEqual(['manual_reward_limit']);
  });

  it('The listed time zones are accepted, and those that Node supports and PostgreSQL does not are refused', async () => {
    for (const timezone of ['AET', 'CAT', 'CET', 'asia/seoul', '<+03>-3']) {
      const refused = await shop.browser.send('PATCH', '/merchant', { timezone });
      expect([refused.status, Object.keys(refused.body.params ?? {})]).toEqual([400, ['timezone']]);
    }
    const listed = (await shop.browser.send('GET', '/time-zones')).data as string[];
    expect(listed).toEqual(expect.arrayContaining(['Asia/Seoul', 'Asia/Kolkata', 'UTC']));
    expect(listed).not.toEqual(expect.arrayContaining(['AET']));
    expect((await shop.browser.send('PATCH', '/merchant', { timezone: 'Asia/Kolkata' })).status).toBe(200);
  });
});

describe('Account limits', () => {
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    owner = await running.signUp('Busy shop');
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

describe('Concurrent edits', () => {
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    owner = await running.signUp();
  });

  const program = async () => (await owner.browser.get('/program')).data as ProgramView;
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

  it('A rule that was drafted on an older version of the program is not published over the newer one', async () => {
    const [first] = (await program()).versions;
    const based = { base_version: first?.version };
    const [one, two] = [{ minimumPaidAmount: 10_000 }, { holdDays: 7 }];
    const published = await owner.browser.post('/program', { terms: one, ...based });
    expect([published.status, published.data]).toEqual([201, expect.objectContaining({ version: 2 })]);
    const refused = await owner.browser.post('/program', { terms: two, ...based });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: 'version_conflict',
      current: { version: 2, terms: parseTerms(one) },
      changed: ['rules[default].minimumPaidAmount'],
    });
    expect((await program()).versions.map(({ version }) => version)).toEqual([2, 1]);
    const again = await owner.browser.post('/program', { terms: { ...one, holdDays: 7 }, base_version: 2 });
    expect(again.data).toMatchObject({
      version: 3,
      terms: { rules: [{ minimumPaidAmount: 10_000, holdDays: 7 }] },
    });
  });

  it('Of ten drafts of one version that are published concurrently, one becomes the next version', async () => {
    const [first] = (await program()).versions;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, holdDays) =>
        owner.browser.post('/program', { terms: { holdDays }, base_version: first?.version }),
      ),
    );
    expect(statuses(answers)).toEqual([201, ...Array<number>(9).fill(409)]);
    expect((await program()).versions[0]?.version).toBe((first?.version ?? 0) + 1);
  });

  it('A rule is not published without the version that it is based on', async () => {
    const [first] = (await program()).versions;
    const answer = await owner.browser.post('/program', { terms: first?.terms });
    expect([answer.status, answer.body.params]).toEqual([400, { base_version: 'is required' }]);
  });

  it("A form that was opened before another user saved keeps that user's changes of other fields", async () => {
    const created = await owner.browser.post('/webhooks', {
      url: 'https://hooks.example.com/a',
      event_types: ['reward.issue'],
    });
    const { id, url, event_types, retry_hours } = created.data as WebhookView;
    const base = { url, event_types, retry_hours };
    const save = (changes: Partial<WebhookView>) =>
      owner.browser.send('PATCH', `/webhooks/${id}`, { ...base, ...changes, base });
    expect((await save({ url: 'https://hooks.example.com/b' })).status).toBe(200);
    expect((await save({ retry_hours: 6 })).data).toMatchObject({
      url: 'https://hooks.example.com/b',
      retry_hours: 6,
    });
    const refused = await save({ url: 'https://hooks.example.com/c', event_types: ['reward.revoke'] });
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({
        code: 'version_conflict',
        current: { url: 'https://hooks.example.com/b' },
        changed: ['url'],
      }),
    ]);
    expect((await owner.browser.get(`/webhooks/${id}`)).data).toMatchObject({
      url: 'https://hooks.example.com/b',
      event_types: ['reward.issue'],
    });
    // Both edits set the same value, so there is no conflict.
    expect((await save({ url: 'https://hooks.example.com/b' })).status).toBe(200);
  });

  it('Saving the form of a webhook with the URL that is stored does not make the webhook new again', async () => {
    const firstSuccessAt = new Date('2026-11-01T00:00:00Z');
    const typed = { url: 'https://Typed.example.com', eventTypes: ['reward.issue'], firstSuccessAt };
    await flow.database.endpoint.create({
      data: { id: 'whk_typed', merchantId: owner.merchant.id, ...typed },
    });
    const base = { url: typed.url, event_types: typed.eventTypes, retry_hours: null };
    const saved = await owner.browser.send('PATCH', '/webhooks/whk_typed', { ...base, retry_hours: 6, base });
    expect([saved.status, saved.data]).toEqual([200, expect.objectContaining({ retry_hours: 6 })]);
    expect(await flow.database.endpoint.findFirst({ where: { id: 'whk_typed' } })).toMatchObject({
      url: typed.url,
      firstSuccessAt,
    });
  });

  it('Settings of the merchant and of linking, and roles, do not overwrite a change that the user has not seen', async () => {
    const { merchant } = (await owner.browser.get('/session')).data as SessionView;
    const rename = (name: string) =>
      owner.browser.send('PATCH', '/merchant', { name, base: { name: merchant.name } });
    expect([(await rename('One')).status, (await rename('Two')).body.current]).toEqual([
      200,
      { name: 'One' },
    ]);

    const { linking } = (await owner.browser.get('/credentials')).data as CredentialsView;
    const link = (changes: object) =>
      owner.browser.send('PUT', '/credentials/linking', { ...linking, ...changes, base: linking });
    const origins = ['https://a.example'];
    expect((await link({ allowed_origins: origins })).status).toBe(200);
    expect((await link({ attribution_days: 9 })).data).toMatchObject({
      allowed_origins: origins,
      attribution_days: 9,
    });
    expect((await link({ allowed_origins: ['https://b.example'] })).body).toMatchObject({
      code: 'version_conflict',
      current: { allowed_origins: origins },
    });

    const email = 'second@example.com';
    await owner.browser.post('/team/invitations', { email, role: 'viewer' });
    const path = findLink(await running.mail.waitFor(email));
    const joined = await running.browser().post(`${path}/accept`, { password: goodPassword });
    const { id } = (joined.data as SessionView).user;
    const give = (role: string) =>
      owner.browser.send('PATCH', `/team/members/${id}`, { role, base: { role: 'viewer' } });
    expect((await give('developer')).status).toBe(200);
    expect((await give('owner')).body).toMatchObject({
      code: 'version_conflict',
      current: { role: 'developer' },
    });
    const { members } = (await owner.browser.get('/team')).data as TeamView;
    expect(members.find(({ user_id: user }) => user === id)?.role).toBe('developer');
  });
});

describe('GET /problems', () => {
  let owner: SignedUpMerchant;
  let other: SignedUpMerchant;
  beforeAll(async () => {
    [owner, other] = [await running.signUp(), await running.signUp()];
  });

  const problemsOf = async ({ browser }: SignedUpMerchant, query = '') => {
    const { status, body } = await browser.get(`/problems${query}`);
    expect(status).toBe(200);
    return (body as { data: Page<ProblemView> }).data.items;
  };

  it('A merchant sees its own open problems, and none of others and of the operator', async () => {
    const failing = {
      kind: 'webhook_failing',
      subject: 'whk_1',
      number: 7,
      error: 'status 500',
      failures: 9,
    } as const;
    await recordProblems(
      flow.database,
      [
        { ...failing, merchantId: owner.merchant.id },
        { ...failing, merchantId: other.merchant.id, subject: 'whk_2' },
        { merchantId: '', kind: 'finding', subject: 'redisFull', number: 1, error: null },
      ],
      { kinds: [], findings: [] },
    );
    expect(await problemsOf(owner)).toEqual([
      {
        id: expect.stringMatching(/^prb_/),
        kind: 'webhook_failing',
        subject: 'whk_1',
        webhook_name: null,
        webhook_host: null,
        opened_at: expect.stringMatching(/Z$/),
        last_seen_at: expect.stringMatching(/Z$/),
        openings: 1,
        number: 7,
        failures: 9,
        oldest_at: null,
        last_error: 'status 500',
        resolved_at: null,
      },
    ]);
    expect(await problemsOf(other)).toMatchObject([{ subject: 'whk_2' }]);
  });

  it('A closed problem is listed only when all are asked for', async () => {
    await flow.database.problem.updateMany({
      where: { merchantId: owner.merchant.id },
      data: { resolvedAt: new Date() },
    });
    expect(await problemsOf(owner)).toEqual([]);
    expect(await problemsOf(owner, '?all=true')).toMatchObject([{ resolved_at: expect.any(String) }]);
  });

  it('A problem of a webhook has its host and no path; the session has the number of those that are open', async () => {
    const created = await owner.browser.post('/webhooks', {
      url: 'https://hooks.example.com/secret-path',
      event_types: ['reward.issue'],
    });
    const { id } = created.data as WebhookView;
    const countOf = async () =>
      ((await owner.browser.get('/session')).data as SessionView).merchant.open_problems;
    const before = await countOf();
    const merchantId = owner.merchant.id;
    await recordProblems(
      flow.database,
      [
        { merchantId, kind: 'webhook_failing', subject: id, number: 1, error: 'status 500' },
        { merchantId, kind: 'referrals_to_review', subject: '', number: 2, error: null },
      ],
      { kinds: [], findings: [] },
    );
    expect(await countOf()).toBe(before + 2);
    const { text } = await owner.browser.get(`/problems?subject=${id}`);
    expect(text).toContain('"webhook_host":"hooks.example.com"');
    expect(text).not.toContain('secret-path');
    expect(await problemsOf(owner, `?subject=${id}`)).toHaveLength(1);
    expect(await problemsOf(owner, '?kind=referrals_to_review')).toMatchObject([
      { subject: null, webhook_host: null, number: 2 },
    ]);
    expect((await owner.browser.get('/problems?kind=unknown')).status).toBe(400);
    expect((await problemsOf(owner, '?resolved=true')).every((one) => one.resolved_at !== null)).toBe(true);
    expect((await owner.browser.get('/test/problems')).data).toMatchObject({ items: [] });
  });

  it('Nobody sees problems without signing in', async () => {
    expect((await running.browser().get('/problems')).status).toBe(401);
  });
});
