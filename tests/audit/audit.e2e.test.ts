import { commands } from '../../apps/admin/src/commands.ts';
import { createRoutes } from '../../apps/console/src/create-routes.ts';
import { goodPassword, openConsole } from '../../apps/console/testing/open-console.ts';
import type { Answer, RunningConsole } from '../../apps/console/testing/open-console.ts';
import { queriesWith } from '../console/calls.ts';
import { openMerchantWithData } from '../console/merchant-with-data.ts';
import type { MerchantIds } from '../console/merchant-with-data.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import { auditedCalls, otherPassword } from './audited-calls.ts';
import { auditedCommands } from './audited-commands.ts';

// A walk over every route and command takes some seconds, and more on a machine that is busy.
jest.setTimeout(90_000);

describe('The audit', () => {
  let flow: Flow;
  let running: RunningConsole;
  let ids: MerchantIds;
  let owner: Awaited<ReturnType<typeof openMerchantWithData>>['owner'];
  const closes: (() => unknown)[] = [];
  /** Texts that no entry may contain: every secret that the calls send or receive. */
  const secrets = new Set<string>([
    goodPassword,
    otherPassword,
    'path-of-a-webhook',
    'token-of-a-webhook',
    'a wrong password',
  ]);

  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
    const opened = await openMerchantWithData(flow, running, 'audited');
    ({ ids, owner } = opened);
    closes.push(() => opened.close());
    // The test side is created at its first use.
    await owner.browser.get('/test/home');
    await flow.queues.settled();
    const { secretKey, signingSecret, identitySecret } = owner.merchant;
    for (const secret of [secretKey, signingSecret, identitySecret]) secrets.add(secret);
  });
  afterAll(async () => {
    for (const close of closes) await close();
    await running.close();
    await flow.close();
  });

  const entries = () => flow.database.auditEntry.findMany({ orderBy: [{ at: 'asc' }, { id: 'asc' }] });
  /** The entries that a call adds. */
  async function entriesOf(call: () => Promise<unknown>) {
    const known = new Set((await entries()).map(({ id }) => id));
    await call();
    return (await entries()).filter(({ id }) => !known.has(id));
  }
  /** Collects the secrets of an answer: values of fields that are named after one, session ids and tokens of links. */
  function collectSecrets(value: unknown, name = ''): void {
    if (typeof value === 'string') {
      if (/secret|^key$|^value$|password/i.test(name) && value.length >= 20) secrets.add(value);
      const token = /\/(?:invitations|password-resets|sign-ups|contact-confirmations)\/([\w-]{20,})/.exec(
        value,
      );
      if (token?.[1]) secrets.add(token[1]);
    } else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) collectSecrets(inner, key);
  }
  function collectCookies({ headers }: Answer): void {
    for (const cookie of (headers['set-cookie'] as unknown as string[] | undefined) ?? [])
      for (const part of (cookie.split(';')[0] ?? '').split('=')[1]?.split('.') ?? [])
        if (part.length >= 20) secrets.add(part);
  }

  it('has exactly one entry for each successful call of a route that changes something or reads a secret', async () => {
    const { calls } = auditedCalls({ flow, running, browser: owner.browser, email: owner.email, ids });
    const audited = createRoutes(running.dependencies).filter(({ audit }) => audit !== null);
    const actionOf = new Map(audited.map(({ method, path, audit }) => [`${method} ${path}`, audit]));
    // A new route fails here: add a successful call of it to audited-calls.ts.
    expect(Object.keys(calls).toSorted()).toEqual([...actionOf.keys()].toSorted());
    const wrong: string[] = [];
    for (const [route, call] of Object.entries(calls)) {
      let answer: Answer | undefined;
      const added = await entriesOf(async () => (answer = await call()));
      // A call may be prepared by a sign-in.
      const rows = added.filter(({ action }) => route === 'POST /sign-in' || action !== 'user.signed_in');
      const [row] = rows;
      if (!answer || answer.status >= 300) wrong.push(`${route} answered ${answer?.status}: ${answer?.text}`);
      if (rows.length !== 1 || row?.action !== actionOf.get(route) || row?.outcome !== 'done')
        wrong.push(`${route} has the entries ${JSON.stringify(rows)}`);
      if (answer && row?.requestId !== answer.headers['x-request-id'])
        wrong.push(`${route} has an entry of another request: ${row?.requestId}`);
      if (!row?.address?.startsWith('10.')) wrong.push(`${route} has no client address: ${row?.address}`);
      if (answer) {
        collectSecrets(answer.body);
        collectCookies(answer);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has no entry for calls that only read', async () => {
    const reading = createRoutes(running.dependencies).filter(
      ({ audit, path, body, method, side }) =>
        audit === null && method === 'GET' && !path.includes(':') && !body && side !== 'test',
    );
    expect(reading.length).toBeGreaterThan(10);
    const added = await entriesOf(async () => {
      for (const { path } of reading)
        expect((await owner.browser.get(`${path}?${queriesWith(path, ids)[0]}`)).status).toBe(200);
    });
    expect(added).toEqual([]);
  });

  it('has exactly one entry for each successful run of a command that changes something or shows a secret', async () => {
    const newcomer = await flow.openMerchant();
    const { runs, close } = auditedCommands(flow, ids, owner.email, newcomer.id);
    closes.push(close);
    const audited = Object.entries(commands).filter(([, { audit }]) => audit !== null);
    // A new command fails here: add a successful run of it to audited-commands.ts.
    expect(Object.keys(runs).toSorted()).toEqual(audited.map(([name]) => name).toSorted());
    const wrong: string[] = [];
    for (const [name, run] of Object.entries(runs)) {
      const added = await entriesOf(async () => collectSecrets(await run()));
      const expected = { action: commands[name]?.audit, actorKind: 'operator', actorName: 'tester' };
      const { action, actorKind, actorName } = added[0] ?? {};
      if (added.length !== 1 || JSON.stringify({ action, actorKind, actorName }) !== JSON.stringify(expected))
        wrong.push(`${name} has the entries ${JSON.stringify(added)}`);
    }
    expect(wrong).toEqual([]);
  });

  it('has an entry of the key that sends a test event through the API', async () => {
    const { secretKey } = owner.merchant;
    const key = await flow.database.apiKey.findFirstOrThrow({
      where: { merchantId: ids.merchantId, kind: 'secret', revokedAt: null },
      orderBy: { createdAt: 'asc' },
    });
    const { id: webhookId } = await flow.database.endpoint.findFirstOrThrow({
      where: { merchantId: ids.merchantId, deletedAt: null },
    });
    const send = (id: string) => flow.call(`/api/open/webhooks/${id}/test/`, {}, { key: secretKey });
    let requestId: string | null = null;
    const added = await entriesOf(async () => {
      const answer = await send(webhookId);
      expect(answer.status).toBe(200);
      requestId = answer.headers.get('x-request-id');
    });
    expect(added).toMatchObject([
      {
        action: 'webhook.tested',
        outcome: 'done',
        actorKind: 'api_key',
        actorId: key.id,
        actorName: key.name,
        merchantId: ids.merchantId,
        subjectId: webhookId,
        address: expect.any(String),
        requestId,
      },
    ]);
    expect(await entriesOf(() => send('whk_unknown'))).toEqual([]);
    const { items } = (await owner.browser.get('/audit?action=webhook.tested')).data as { items: object[] };
    expect(items[0]).toMatchObject({ actor_kind: 'api_key', actor: key.name });
    const { actors } = (await owner.browser.get('/audit/filters')).data as { actors: object[] };
    expect(actors).toContainEqual({ kind: 'api_key', name: key.name });
    expect(actors).toContainEqual({ kind: 'operator', name: null });
    const kindsOf = async (query: string) => {
      const found = (await owner.browser.get(`/audit?${query}`)).data as { items: { actor_kind: string }[] };
      return [...new Set(found.items.map(({ actor_kind: kind }) => kind))];
    };
    expect(await kindsOf(`actor_kind=api_key&actor=${encodeURIComponent(key.name)}`)).toEqual(['api_key']);
    expect(await kindsOf('actor_kind=operator')).toEqual(['operator']);
    // Merchants do not see the names of operators, and cannot find out by searching for one.
    expect(await kindsOf('actor=tester')).toEqual([]);
  });

  it('names the user, their merchant, the subject and the changed values', async () => {
    const rows = await entries();
    const of = (action: string) => rows.findLast((row) => row.action === action && row.actorKind === 'user');
    const by = { actorId: ids.userId, actorName: owner.email, merchantId: ids.merchantId };
    expect(of('webhook.changed')).toMatchObject({
      ...by,
      subjectKind: 'webhook',
      subjectId: ids.webhookId,
      details: { changes: { retryHours: [null, 5] } },
    });
    expect(of('webhook.created')).toMatchObject({
      ...by,
      details: { host: 'hooks.example.com', eventTypes: ['reward.issue'] },
    });
    expect(of('merchant.changed')).toMatchObject({
      ...by,
      details: { changes: { name: ['audited shop', 'Renamed'] }, changed: ['contactEmail'] },
    });
    expect(of('user.role_changed')).toMatchObject({
      ...by,
      details: { changes: { role: ['viewer', 'developer'] } },
    });
    expect(of('member.exported')).toMatchObject({ ...by, details: { filters: ['search'] } });
  });

  it('has an entry for a wrong password, and none for other refused calls', async () => {
    const stranger = running.browser();
    const signIn = (email: string) => stranger.post('/sign-in', { email, password: 'a wrong password' });
    const [known] = await entriesOf(() => signIn(owner.email));
    expect(known).toMatchObject({
      action: 'user.signed_in',
      outcome: 'refused',
      actorKind: 'unknown',
      subjectId: ids.userId,
      merchantId: ids.merchantId,
      details: { code: 'wrong_credentials' },
    });
    const [unknown] = await entriesOf(() => signIn('a wrong password@typed.example'));
    expect(unknown).toBeUndefined();
    const [nobody] = await entriesOf(() => signIn('nobody-known@typed.example'));
    expect(nobody).toMatchObject({ outcome: 'refused', subjectId: null, merchantId: null });
    secrets.add('nobody-known');
    // Signed in, a stranger would read in their own audit which addresses have an account.
    const other = await openMerchantWithData(flow, running, 'curious');
    closes.push(() => other.close());
    const [byOther] = await entriesOf(() =>
      other.owner.browser.post('/sign-in', { email: owner.email, password: 'a wrong password' }),
    );
    expect(byOther).toMatchObject({
      outcome: 'refused',
      actorKind: 'unknown',
      actorName: null,
      subjectId: ids.userId,
      merchantId: ids.merchantId,
    });
    const leftByOther = await entriesOf(() => other.owner.browser.post('/sign-out'));
    expect(leftByOther).toMatchObject([
      { action: 'user.signed_out', actorName: other.owner.email, merchantId: other.ids.merchantId },
    ]);
    const { browser } = owner;
    const refused = [
      () => browser.post('/webhooks', { url: 'https://10.0.0.1/', event_types: ['reward.issue'] }),
      () => browser.post('/webhooks/whk_unknown/pause'),
      () => browser.post(`/replays/${ids.replayId}/pause`),
      () => stranger.post('/credentials/identity-secret/reveal'),
      () => browser.post('/credentials/signing-keys/sgk_unknown/reveal'),
    ];
    for (const call of refused) {
      let status = 0;
      const added = await entriesOf(async () => (status = ((await call()) as Answer).status));
      expect([added, status >= 400]).toEqual([[], true]);
    }
  });

  it('has no secret and no id of a member in any entry', async () => {
    const rows = await flow.database.$queryRaw<{ text: string }[]>`
      SELECT a::text AS text FROM audit_entries a`;
    expect(rows.length).toBeGreaterThan(70);
    expect(secrets.size).toBeGreaterThan(20);
    const members = [
      ids.memberId,
      ids.memberId.replace('referrer', 'referee'),
      'audit-member-linked',
      ids.code,
    ];
    const found = [...secrets, ...members].filter((secret) => rows.some(({ text }) => text.includes(secret)));
    expect(found).toEqual([]);
  });
});
