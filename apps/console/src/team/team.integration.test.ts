import { findLink } from '@rewardhook/testing/mail';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { Browser, RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { ConsoleRole, InviteResponse, SessionView, TeamView } from '../api-types.ts';
import { createRoutes } from '../routes.ts';

describe('The team of a merchant', () => {
  let flow: Flow;
  let running: RunningConsole;
  let shop: SignedUpMerchant;
  let count = 0;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    running = await openConsole(flow.environment);
    shop = await running.signUp('Team shop');
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
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

  it('Every route requires its role', async () => {
    const browsers = { viewer: (await join('viewer')).browser, developer: (await join('developer')).browser };
    const ranks = { viewer: 1, developer: 2, owner: 3, public: 0 };
    const wrong: string[] = [];
    for (const { method, path, access } of createRoutes(running.dependencies)) {
      for (const role of ['viewer', 'developer'] as const) {
        // Every role may sign out and change the password, but both would end the session.
        if (access === 'public') continue;
        const { status, body } = await browsers[role].send(method, path, {});
        const refused = status === 403 && body.code === 'forbidden';
        if (refused !== ranks[role] < ranks[access]) wrong.push(`${role} ${method} ${path}: ${status}`);
      }
      if (access === 'public') continue;
      const answer = await running.browser().send(method, path, {});
      if (answer.body.code !== 'login_required')
        wrong.push(`no session: ${method} ${path}: ${answer.status}`);
    }
    expect(wrong).toEqual([]);
    const reads = createRoutes(running.dependencies).filter(({ access }) => access === 'viewer');
    const changes = reads.filter(({ method }) => method !== 'GET').map(({ path }) => path);
    expect(changes).toEqual(['/session/merchant', '/password', '/merchants']);
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
