import { buildOrder, waitFor } from '@rewardhook/testing';
import { findLink } from '@rewardhook/testing/mail';
import { defaultRule } from '@rewardhook/rewards';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { syncPath } from '../../../../tests/harness/call-api.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openTestSide } from '../../../../tests/test-side/open-test-side.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { Answer, RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { CredentialsView, SampleView, SignUpResponse, TestDataView } from '../api-types.ts';

let flow: Flow;
let running: RunningConsole;
let owner: SignedUpMerchant;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
  owner = await running.signUp();
});
afterAll(async () => {
  await running?.close();
  await flow?.close();
});

const dataOf = async <T>(answer: Promise<Answer>) => (await answer).data as T;

/** Creates a sample and waits until it has reached a step. */
async function runSample(until: SampleView['step']): Promise<SampleView> {
  const created = await owner.browser.post('/test/samples');
  expect(created.status).toBe(201);
  const { order_id: id } = created.data as SampleView;
  let sample: SampleView | undefined;
  await waitFor(
    async () => {
      sample = await dataOf<SampleView>(owner.browser.get(`/test/samples/${id}`));
      return sample.step === until;
    },
    { deadlineMs: 20_000, what: `the step ${until}` },
  );
  return sample as SampleView;
}

async function publish(changes: object): Promise<void> {
  const { versions } = await dataOf<{ versions: { version: number }[] }>(owner.browser.get('/test/program'));
  const body = { rule: { ...defaultRule, ...changes }, base_version: versions[0]?.version };
  expect((await owner.browser.post('/test/program', body)).status).toBe(201);
}

describe('The test side in the console', () => {
  it('has keys of its own, which belong to the user who created them', async () => {
    const created = await owner.browser.post('/test/credentials/api-keys', { kind: 'secret', name: 'mine' });
    expect(created.data).toMatchObject({ value: expect.stringMatching(/^svc_sk_test_/) });
    const keysOf = async (path: string) =>
      (await dataOf<{ api_keys: { name: string }[] }>(owner.browser.get(path))).api_keys.map(
        ({ name }) => name,
      );
    expect(await keysOf('/test/credentials')).toContain('mine');
    expect(await keysOf('/credentials')).not.toContain('mine');
  });

  it('has the name and the time zone of the live side, and its team', async () => {
    await owner.browser.send('PATCH', '/test/merchant', { name: 'Renamed shop', timezone: 'Europe/Paris' });
    const { merchant: live } = await flow.admin('merchant show', { merchant: owner.merchant.id });
    const { merchant: side } = await flow.admin('merchant show --test', { merchant: owner.merchant.id });
    for (const one of [live, side])
      expect(one).toMatchObject({ name: 'Renamed shop', timezone: 'Europe/Paris' });
    expect((await owner.browser.get('/test/team')).text).toBe((await owner.browser.get('/team')).text);
  });

  it('has no routes on the live side', async () => {
    for (const [method, path] of [
      ['GET', '/test-data'],
      ['DELETE', '/test-data'],
      ['POST', '/samples'],
      ['POST', '/program/copy-live'],
    ] as const)
      expect([path, (await owner.browser.send(method, path)).status]).toEqual([path, 404]);
  });
});

describe('A sample', () => {
  it('ends in confirmed rewards and their webhooks', async () => {
    const side = await openTestSide(flow, owner.merchant);
    const receiver = await flow.receiver(side, 'reward.issue');
    const sample = await runSample('done');
    expect(sample.rewards.map(({ role, state }) => [role, state])).toEqual([
      ['referee', 'confirmed'],
      ['referrer', 'confirmed'],
    ]);
    expect(sample.deliveries.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    const bodies = receiver.received.map(({ rawBody }) => JSON.parse(rawBody.toString()) as object);
    expect(bodies).toHaveLength(2);
    for (const body of bodies)
      expect(body).toMatchObject({ mode: 'test', data: { order: { order_id: sample.order_id } } });
  });

  it('waits for the end of the hold of the program, which can be ended', async () => {
    await publish({ holdDays: 14, minimumPaidAmount: 80_000 });
    const held = await runSample('holding');
    expect(held.rewards.every(({ confirm_due_at: at }) => at !== null)).toBe(true);
    const path = `/test/samples/${held.order_id}`;
    expect((await owner.browser.post(`${path}/end-hold`)).status).toBe(200);
    await waitFor(async () => (await dataOf<SampleView>(owner.browser.get(path))).step === 'done', {
      deadlineMs: 20_000,
      what: 'the end of the sample',
    });
  });

  it('says which decision gave no reward', async () => {
    await publish({ budget: 1 });
    const { decision, rewards } = await runSample('no_reward');
    expect([decision?.reason, rewards]).toEqual(['budget_exhausted', []]);
  });

  it('is unknown once the test data was deleted', async () => {
    await owner.browser.post('/test/program/copy-live');
    const { order_id: id } = await runSample('done');
    const requested = await owner.browser.send('DELETE', '/test/test-data');
    expect([requested.status, (requested.data as TestDataView).deleting_since]).toEqual([
      202,
      expect.any(String),
    ]);
    await waitFor(
      async () => {
        const state = await dataOf<TestDataView>(owner.browser.get('/test/test-data'));
        return state.deleting_since === null && state.deleted_at !== null;
      },
      { deadlineMs: 15_000, what: 'the deletion' },
    );
    expect((await owner.browser.get(`/test/samples/${id}`)).status).toBe(404);
  });

  it('is in the audit still', async () => {
    const { items } = await dataOf<{ items: { action: string }[] }>(
      owner.browser.get('/test/audit?limit=100'),
    );
    const { actions } = await dataOf<{ actions: string[] }>(owner.browser.get('/test/audit/filters'));
    for (const named of [items.map(({ action }) => action), actions])
      expect(named).toEqual(expect.arrayContaining(['sample.created', 'test_data.wiped']));
  });
});

describe('The creation of the test side', () => {
  it('comes with the sign-up, with the first keys; the live side has no secret key yet', async () => {
    const browser = running.browser();
    const signedUp = await running.createAccount(browser, 'newcomer@example.com', 'Fresh shop');
    const { secret_key: secretKey, signing_secret: signingSecret } = signedUp.first_keys;
    const [test, live] = [
      await dataOf<CredentialsView>(browser.get('/test/credentials')),
      await dataOf<CredentialsView>(browser.get('/credentials')),
    ];
    const kindsOf = ({ api_keys: keys }: CredentialsView) => keys.map(({ kind }) => kind).toSorted();
    expect([kindsOf(test), kindsOf(live)]).toEqual([['public', 'secret'], ['public']]);
    expect(test.api_keys.map(({ value }) => value)).toContain(signedUp.first_keys.public_key);
    const revealed = await browser.post(`/test/credentials/signing-keys/${test.signing_keys[0]?.id}/reveal`);
    expect(revealed.data).toEqual({ secret: signingSecret });
    const order = buildOrder();
    expect((await flow.call(syncPath, { orders: [order] }, { key: secretKey })).status).toBe(202);
    const isStored = async (side: string) =>
      (await browser.get(`${side}/orders/${order.order_id}`)).status === 200;
    await waitFor(() => isStored('/test'), { what: 'the order on the test side' });
    expect(await isStored('')).toBe(false);
  });

  it('comes with another merchant of a user, too', async () => {
    const created = await owner.browser.post('/merchants', { merchant_name: 'Second shop' });
    const { session, first_keys: firstKeys } = created.data as SignUpResponse;
    expect(firstKeys.secret_key).toMatch(/^svc_sk_test_/);
    const { testSide } = await flow.database.merchant.findUniqueOrThrow({
      where: { id: session.merchant.id },
      include: { testSide: { include: { program: true } } },
    });
    expect(testSide?.program).toBeDefined();
    await owner.browser.post('/session/merchant', { merchant_id: owner.merchant.id });
  });

  it('of a merchant of the operator is the first call of a developer or an owner, and the audit names them; a viewer sees what to do', async () => {
    const merchant = await flow.openMerchant();
    const shop = { merchant, email: 'first-owner@example.com', browser: running.browser() };
    const { link } = (await flow.admin('merchant invite', { merchant: merchant.id, email: shop.email })) as {
      link: string;
    };
    await shop.browser.post(`${new URL(link).pathname}/accept`, { password: goodPassword });
    const email = 'first-viewer@example.com';
    await shop.browser.post('/team/invitations', { email, role: 'viewer' });
    const viewer = running.browser();
    await viewer.post(`${findLink(await running.mail.waitFor(email))}/accept`, { password: goodPassword });
    const refused = await viewer.get('/test/home');
    expect([refused.status, refused.body.code, refused.body.reason, refused.body.message]).toEqual([
      403,
      'forbidden',
      { code: 'test_side_missing', parameters: {} },
      expect.stringContaining('must open it first'),
    ]);
    const find = () => flow.database.merchant.findUnique({ where: { liveMerchantId: shop.merchant.id } });
    expect(await find()).toBeNull();
    const first = await shop.browser.get('/test/home');
    expect(first.status).toBe(200);
    const { id } = (await find()) ?? {};
    const entries = await flow.database.auditEntry.findMany({
      where: { action: 'merchant.created', merchantId: id ?? '' },
    });
    expect(entries).toMatchObject([
      {
        actorKind: 'user',
        actorName: shop.email,
        subjectId: id,
        requestId: first.headers['x-request-id'],
        address: expect.stringMatching(/^10\./),
      },
    ]);
    expect((await viewer.get('/test/home')).status).toBe(200);
  });
});

describe('The deletion of test data', () => {
  it('is refused to a developer', async () => {
    const email = 'developer@example.com';
    await owner.browser.post('/team/invitations', { email, role: 'developer' });
    const link = findLink(await running.mail.waitFor(email));
    const developer = running.browser();
    await developer.post(`${link}/accept`, { password: 'correct horse battery staple' });
    expect((await developer.get('/test/test-data')).status).toBe(200);
    expect((await developer.send('DELETE', '/test/test-data')).status).toBe(403);
  });
});
