import { findLink } from '@rewardhook/testing/mail';
import type { Right, TeamRole } from '@rewardhook/contract/rights';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { Answer, Browser, RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { AuditEntryView, AuditFilters, Page, ProgramView, SessionView } from '../api-types.ts';
import { createRoutes } from '../create-routes.ts';

let flow: Flow;
let running: RunningConsole;
let shop: SignedUpMerchant;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
  shop = await running.signUp();
});
afterAll(async () => {
  await running.close();
  await flow.close();
});

/** Adds somebody to the team of a shop. Returns their browser. */
async function join(role: TeamRole, { browser: owner }: SignedUpMerchant = shop) {
  const email = `${role}-${crypto.randomUUID()}@example.com`;
  await owner.post('/team/invitations', { email, role });
  const path = findLink(await running.mail.waitFor(email));
  const browser = running.browser();
  const { data } = await browser.post(`${path}/accept`, { password: goodPassword });
  return { browser, email, id: (data as SessionView).user.id };
}

describe('Roles', () => {
  /** The table of rights and roles, written down independently of the one that server and page read. */
  const table: Record<Right, string> = {
    read: 'owner developer marketer support viewer',
    publish: 'owner developer marketer',
    review: 'owner developer marketer support',
    correct: 'owner developer support',
    integrate: 'owner developer',
    activity: 'owner developer marketer support',
    manage: 'owner',
  };

  /** The right that each route needs. Not listed are reads, and the changes of those who connect the shop. */
  const rightOf: Record<string, Right> = {
    'PUT /program/draft': 'publish',
    'DELETE /program/draft': 'publish',
    'POST /program/simulate': 'publish',
    'POST /program': 'publish',
    'POST /program/copy-live': 'publish',
    'POST /referrals/:id/accept': 'review',
    'POST /referrals/:id/reject': 'review',
    'POST /orders/:order_id/rewards': 'correct',
    'POST /rewards/:reward_id/adjust': 'correct',
    'POST /rewards/:reward_id/revoke': 'correct',
    'POST /members/:member_id/merge': 'correct',
    'POST /members/:member_id/referrer': 'correct',
    'POST /referrals/:id/move': 'correct',
    'POST /deliveries/:id/retry': 'correct',
    'POST /deliveries/retry': 'correct',
    'GET /audit': 'activity',
    'GET /audit/filters': 'activity',
    'GET /team': 'manage',
    'POST /team/invitations': 'manage',
    'DELETE /team/invitations/:id': 'manage',
    'PATCH /team/members/:user_id': 'manage',
    'DELETE /team/members/:user_id': 'manage',
    'PATCH /merchant': 'manage',
    'POST /merchant/contact-confirmation': 'manage',
    'DELETE /test-data': 'manage',
    // One's own account.
    'POST /session/merchant': 'read',
    'POST /session/password': 'read',
    'POST /password': 'read',
    'POST /merchants': 'read',
  };

  /** Somebody with a role that a newer release has stored, and this one does not know. */
  const joinWithUnknownRole = async () => {
    const { browser, id: userId } = await join('viewer');
    await flow.database.$executeRaw`ALTER TABLE memberships DROP CONSTRAINT memberships_role`;
    await flow.database.membership.updateMany({ where: { userId }, data: { role: 'auditor' } });
    return browser;
  };

  it('Every route can be called in the roles of the table, and in no other one', async () => {
    const browsers: Record<string, Browser> = {
      owner: (await join('owner')).browser,
      developer: (await join('developer')).browser,
      marketer: (await join('marketer')).browser,
      support: (await join('support')).browser,
      viewer: (await join('viewer')).browser,
      unknown: await joinWithUnknownRole(),
    };
    const wrong: string[] = [];
    const unlisted = new Set(Object.keys(rightOf));
    for (const { method, path, access } of createRoutes(running.dependencies)) {
      if (access === 'public') continue;
      const name = `${method} ${path}`;
      const roles = table[rightOf[name] ?? (method === 'GET' ? 'read' : 'integrate')].split(' ');
      unlisted.delete(name);
      for (const [role, browser] of Object.entries(browsers)) {
        // No body and no id is valid, so that nothing changes.
        const { status, body } = await browser.send(method, path, {});
        const refused = status === 403 && body.code === 'forbidden';
        if (refused === roles.includes(role)) wrong.push(`${role} ${name}: ${status} ${body.code}`);
      }
      const answer = await running.browser().send(method, path, {});
      if (answer.body.code !== 'login_required') wrong.push(`no session: ${name}: ${answer.status}`);
    }
    expect(wrong).toEqual([]);
    expect([...unlisted]).toEqual([]);
  });

  it('A marketer publishes a program and reads no secret', async () => {
    const { browser } = await join('marketer');
    const [first] = ((await browser.get('/program')).data as ProgramView).versions;
    const terms = { holdDays: 3 };
    expect((await browser.post('/program', { terms, base_version: first?.version })).status).toBe(201);
    for (const path of ['/credentials/identity-secret/reveal', '/credentials/api-keys'])
      expect((await browser.post(path, { kind: 'secret', name: 'mine' })).body.code).toBe('forbidden');
    const credentials = await browser.get('/credentials');
    for (const secret of [shop.merchant.secretKey, shop.merchant.signingSecret, shop.merchant.identitySecret])
      expect(credentials.text).not.toContain(secret);
  });

  it('Somebody of support gives a reward and publishes no program', async () => {
    await flow.link(shop.merchant, 'ann', 'bob');
    await flow.syncAndSettle(shop.merchant, buildOrder({ order_id: 'o-1', member_id: 'bob', paid_at: null }));
    const { browser } = await join('support');
    const reward = { role: 'referee', amount: 5, reason: 'promised', key: 'promised' };
    expect((await browser.post('/orders/o-1/rewards', reward)).status).toBe(200);
    const [live] = ((await browser.get('/program')).data as ProgramView).versions;
    const refused = await browser.post('/program', { terms: live?.terms, base_version: live?.version });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'This requires one of these roles: owner, developer, marketer.',
    ]);
  });

  it('Those who are not owners see the activity without the addresses of browsers and without sign-ins', async () => {
    const { browser, email } = await join('support');
    await browser.post('/sign-in', { email, password: goodPassword });
    const read = async (by: Browser, query = '') =>
      ((await by.get(`/audit?limit=100${query}`)).data as Page<AuditEntryView>).items;
    const [all, shown] = [await read(shop.browser), await read(browser)];
    expect(all).toContainEqual(expect.objectContaining({ action: 'user.signed_in', actor: email }));
    expect(shown).toContainEqual(
      expect.objectContaining({ action: 'program.published', address: null, actor: expect.any(String) }),
    );
    const account = /^user\.(signed|sign_up|password|merchant_selected)/;
    expect(shown.filter(({ action, address }) => account.test(action) || address !== null)).toEqual([]);
    expect(shown.map(({ id }) => id)).toEqual(
      all.filter(({ action }) => !account.test(action)).map(({ id }) => id),
    );
    expect(await read(browser, '&action=user.signed_in')).toEqual([]);
    const filters = async (by: Browser) => ((await by.get('/audit/filters')).data as AuditFilters).actions;
    expect(await filters(shop.browser)).toContain('user.signed_in');
    expect((await filters(browser)).filter((action) => account.test(action))).toEqual([]);
  });
});

describe('The password before a secret', () => {
  const secretCalls: Record<string, (by: Browser) => Promise<Answer>> = {
    'a signing key': async (by) => {
      const { signing_keys: keys } = (await by.get('/credentials')).data as {
        signing_keys: { id: string }[];
      };
      return by.post(`/credentials/signing-keys/${keys[0]?.id}/reveal`);
    },
    'the identity secret': (by) => by.post('/credentials/identity-secret/reveal'),
    'a new identity secret': (by) => by.post('/credentials/identity-secret/replace', { overlap_hours: 1 }),
    'a new secret key': (by) => by.post('/credentials/api-keys', { kind: 'secret', name: 'new' }),
  };
  const wait = (minutes: number) =>
    flow.database
      .$executeRaw`UPDATE sessions SET password_at = password_at - ${minutes} * interval '1 minute'`;
  const codes = async (by: Browser) => {
    const answers = await Promise.all(Object.values(secretCalls).map((call) => call(by)));
    return [...new Set(answers.map(({ status, body }) => body.code ?? String(status)))].toSorted();
  };

  it('is needed once more 10 minutes after it was entered in the session', async () => {
    const { browser, email } = await running.signUp();
    await wait(9);
    expect(await codes(browser)).toEqual(['200', '201']);
    await wait(2);
    expect(await codes(browser)).toEqual(['password_required']);
    expect((await browser.post('/credentials/api-keys', { kind: 'public', name: 'page' })).status).toBe(201);
    const entered = await browser.post('/session/password', { password: goodPassword });
    expect(entered.status).toBe(204);
    expect(await codes(browser)).toEqual(['200', '201']);
    // It counts for this session, not for others of the same user.
    const other = running.browser();
    await other.post('/sign-in', { email, password: goodPassword });
    await wait(11);
    await browser.post('/session/password', { password: goodPassword });
    expect(await codes(other)).toEqual(['password_required']);
  });

  it('is refused if it is wrong, is counted in the limits of sign-ins, and leaves an entry in the activity', async () => {
    const { browser } = await running.signUp();
    await wait(11);
    const answers: Answer[] = [];
    for (let tries = 0; tries < 11; tries += 1)
      answers.push(await browser.post('/session/password', { password: 'a wrong password' }));
    expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await browser.post('/session/password', { password: goodPassword })).status).toBe(429);
    expect(await codes(browser)).toEqual(['password_required']);
    const { items } = (await browser.get('/audit?action=user.password_entered')).data as Page<AuditEntryView>;
    expect(items.map(({ outcome }) => outcome)).toEqual(Array<string>(10).fill('refused'));
  });

  it('is not known in a session that began with an invitation which a signed-in user accepted', async () => {
    const guest = await running.signUp();
    await shop.browser.post('/team/invitations', { email: guest.email, role: 'developer' });
    const path = findLink(await running.mail.waitFor(guest.email, 2));
    expect((await guest.browser.post(`${path}/accept`, {})).status).toBe(200);
    expect(await codes(guest.browser)).toEqual(['password_required']);
  });
});
