import { findLink } from '@rewardhook/testing/mail';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../testing/open-console.ts';
import type { Answer, RunningConsole, SignedUpMerchant } from '../testing/open-console.ts';
import type { CredentialsView, ProgramView, SessionView, TeamView, WebhookView } from './api-types.ts';

describe('Concurrent edits', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    running = await openConsole(flow.environment);
    owner = await running.signUp();
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  const program = async () => (await owner.browser.get('/program')).data as ProgramView;
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted((a, b) => a - b);

  it('A rule that was drafted on an older version of the program is not published over the newer one', async () => {
    const [first] = (await program()).versions;
    const based = { base_version: first?.version };
    const [one, two] = [
      { ...first?.rule, minimumPaidAmount: 10_000 },
      { ...first?.rule, holdDays: 7 },
    ];
    const published = await owner.browser.post('/program', { rule: one, ...based });
    expect([published.status, published.data]).toEqual([201, expect.objectContaining({ version: 2 })]);
    const refused = await owner.browser.post('/program', { rule: two, ...based });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: 'version_conflict',
      current: { version: 2, rule: one },
      changed: ['minimumPaidAmount'],
    });
    expect((await program()).versions.map(({ version }) => version)).toEqual([2, 1]);
    const again = await owner.browser.post('/program', { rule: { ...one, holdDays: 7 }, base_version: 2 });
    expect(again.data).toMatchObject({ version: 3, rule: { minimumPaidAmount: 10_000, holdDays: 7 } });
  });

  it('Of ten drafts of one version that are published concurrently, one becomes the next version', async () => {
    const [first] = (await program()).versions;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, holdDays) =>
        owner.browser.post('/program', { rule: { ...first?.rule, holdDays }, base_version: first?.version }),
      ),
    );
    expect(statuses(answers)).toEqual([201, ...Array<number>(9).fill(409)]);
    expect((await program()).versions[0]?.version).toBe((first?.version ?? 0) + 1);
  });

  it('A rule is not published without the version that it is based on', async () => {
    const [first] = (await program()).versions;
    const answer = await owner.browser.post('/program', { rule: first?.rule });
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
