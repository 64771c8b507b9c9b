import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CertifyReport } from '@rewardhook/certify';
import {
  buildOrder,
  waitFor,
  startReceiver,
  freePort,
  projectRoot,
  temporaryFolder,
} from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { verifyWebhook } from '@rewardhook/verify';
import { syncPath } from '../../../../tests/harness/call-api.ts';
import { userHashOf } from '../../../../tests/harness/open-merchant.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type {
  CredentialsView,
  LinkingView,
  NewApiKeyResponse,
  OriginsView,
  ReplacedIdentitySecret,
  RevealedSecret,
  WebhookView,
} from '../api-types.ts';
import { createRoutes } from '../create-routes.ts';

jest.setTimeout(90_000);

let flow: Flow;
let running: RunningConsole;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
});
afterAll(async () => {
  await running.close();
  await flow.close();
});

describe('Credentials in the console', () => {
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    owner = await running.signUp();
  });
  const credentials = async () => (await owner.browser.get('/credentials')).data as CredentialsView;
  const sync = async (key: string) => (await flow.call(syncPath, { orders: [buildOrder()] }, { key })).status;

  it('Secret keys are listed with prefix and last four characters, public keys in full', async () => {
    const { api_keys: keys } = await credentials();
    const { secretKey, publicKey } = owner.merchant;
    const secret = keys.find(({ kind }) => kind === 'secret');
    expect(secret).toMatchObject({ prefix: 'svc_sk_', last_four: secretKey.slice(-4), revoked_at: null });
    expect(secret).not.toHaveProperty('value');
    expect(keys.find(({ kind }) => kind === 'public')?.value).toBe(publicKey);
  });

  it('Keys that were created together keep their order when one of them is used', async () => {
    const listed = async () => {
      const { data } = await owner.browser.get('/test/credentials');
      return (data as CredentialsView).api_keys.map(({ id }) => id);
    };
    // PostgreSQL then reads the small table in the order in which its rows were written.
    await flow.database.$executeRaw`ANALYZE api_keys`;
    const ids = await listed();
    expect(ids).toHaveLength(2);
    for (const id of ids) {
      await flow.database.apiKey.update({ where: { id }, data: { lastUsedAt: new Date() } });
      expect(await listed()).toEqual(ids);
    }
  });

  it('A created key works, shows its last use and can be revoked', async () => {
    const made = await owner.browser.post('/credentials/api-keys', { kind: 'secret', name: 'Shop server' });
    const { id, value } = made.data as NewApiKeyResponse;
    expect(made.status).toBe(201);
    const shown = async () => (await credentials()).api_keys.find((key) => key.id === id);
    expect((await shown())?.last_used_at).toBeNull();
    expect(await sync(value)).toBe(202);
    const used = await waitFor(async () => (await shown())?.last_used_at, { what: 'its last use' });
    expect(await sync(value)).toBe(202);
    expect((await shown())?.last_used_at).toBe(used);
    expect((await owner.browser.send('DELETE', `/credentials/api-keys/${id}`)).status).toBe(204);
    expect((await shown())?.revoked_at).toEqual(expect.any(String));
    expect((await owner.browser.send('DELETE', `/credentials/api-keys/${id}`)).status).toBe(404);
    await waitFor(async () => (await sync(value)) === 401, { what: 'its end' });
    const bad = await owner.browser.post('/credentials/api-keys', { kind: 'master', name: '' });
    expect(Object.keys(bad.body.params ?? {}).toSorted()).toEqual(['kind', 'name']);
  });

  it('A secret that was copied to another merchant in the database cannot be revealed there', async () => {
    const other = await running.signUp('Other shop');
    const where = { merchantId: owner.merchant.id };
    const [key, merchant] = await Promise.all([
      flow.database.signingKey.findFirstOrThrow({ where }),
      flow.database.merchant.findUniqueOrThrow({ where: { id: owner.merchant.id } }),
    ]);
    const at = { merchantId: other.merchant.id };
    await flow.database.signingKey.updateMany({ where: at, data: { secret: key.secret } });
    await flow.database.merchant.update({
      where: { id: other.merchant.id },
      data: { identitySecret: merchant.identitySecret },
    });
    const { id } = await flow.database.signingKey.findFirstOrThrow({ where: at });
    for (const path of [`signing-keys/${id}`, 'identity-secret']) {
      const answer = await other.browser.post(`/credentials/${path}/reveal`);
      expect([path, answer.status, answer.body.code]).toEqual([path, 500, 'internal_error']);
    }
    expect(running.logged()).toContain('belongs to another merchant or row');
    await expect(flow.admin('signing-key show', { merchant: other.merchant.id })).rejects.toThrow(
      'A stored secret does not open',
    );
  });

  it('The signing key and the identity secret can be revealed', async () => {
    const { signing_keys: keys } = await credentials();
    expect(keys).toMatchObject([{ active: true, expires_at: null }]);
    const signing = await owner.browser.post(`/credentials/signing-keys/${keys[0]?.id}/reveal`);
    expect((signing.data as RevealedSecret).secret).toBe(owner.merchant.signingSecret);
    expect(signing.headers['cache-control']).toBe('no-store');
    const identity = await owner.browser.post('/credentials/identity-secret/reveal');
    const shown = await flow.admin('merchant identity-secret', { merchant: owner.merchant.id });
    expect((identity.data as RevealedSecret).secret).toBe(shown['identitySecret']);
  });

  it('Who connects the shop replaces the identity secret, boot accepts the former one until the overlap ends, and nobody else may', async () => {
    const shop = await running.signUp('Replacing shop');
    const former = shop.merchant.identitySecret;
    const replaced = await shop.browser.post('/credentials/identity-secret/replace', { overlap_hours: 2 });
    const { secret, former_expire_at: until } = replaced.data as ReplacedIdentitySecret;
    expect(replaced.headers['cache-control']).toBe('no-store');
    const revealed = await shop.browser.post('/credentials/identity-secret/reveal');
    expect([(revealed.data as RevealedSecret).secret, secret === former]).toEqual([secret, false]);
    const view = (await shop.browser.get('/credentials')).data as CredentialsView;
    expect(view.former_identity_secrets).toEqual([
      { id: expect.stringMatching(/^fis_/), replaced_at: expect.any(String), expires_at: until },
    ]);
    expect(JSON.stringify(view)).not.toContain('ids_');
    for (const identitySecret of [former, secret]) {
      const user_hash = userHashOf({ identitySecret }, 'ann');
      expect((await flow.boot(shop.merchant, { user_id: 'ann', user_hash })).status).toBe(200);
    }
    const stored = await flow.database.formerIdentitySecret.findFirstOrThrow({
      where: { merchantId: shop.merchant.id },
    });
    expect(stored.secret).toMatch(/^v1\./);

    for (const overlap_hours of [-1, 1.5, 169, null, '2'])
      expect(
        (await shop.browser.post('/credentials/identity-secret/replace', { overlap_hours })).body,
      ).toMatchObject({ code: 'invalid_request', params: { overlap_hours: expect.any(String) } });
    await flow.database.membership.updateMany({
      where: { merchantId: shop.merchant.id },
      data: { role: 'support' },
    });
    expect(
      await shop.browser.post('/credentials/identity-secret/replace', { overlap_hours: 0 }),
    ).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });

  it('The settings for linking members can be changed', async () => {
    const linking: LinkingView = {
      allowed_origins: ['https://shop.example', 'http://localhost:3000/', 'https://shop.example'],
      landing_url: 'https://shop.example/welcome#top',
      require_user_hash: true,
      attribution_days: 7,
    };
    await flow.admin('origin verify', {
      merchant: owner.merchant.id,
      origin: 'https://shop.example',
      'without-proof': 'true',
    });
    const changed = await owner.browser.send('PUT', '/credentials/linking', linking);
    const expected = { ...linking, allowed_origins: ['https://shop.example', 'http://localhost:3000'] };
    expect(changed.data).toEqual(expected);
    expect((await credentials()).linking).toEqual(expected);
    const bad = await owner.browser.send('PUT', '/credentials/linking', {
      ...linking,
      allowed_origins: ['https://shop.example', 'https://shop.example/path'],
    });
    expect(bad.body.params).toEqual({
      'allowed_origins[1]': 'is not an origin: write https://shop.example, without a path',
    });
    const inside = await owner.browser.send('PUT', '/credentials/linking', {
      ...linking,
      landing_url: 'https://10.0.0.1/',
    });
    expect(inside.body.params).toHaveProperty('landing_url');
  });

  it('A landing URL is accepted only at an origin whose file names the merchant', async () => {
    let answer = { status: 404, body: '' };
    const asked: string[] = [];
    const site = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(answer.status, { location: 'https://elsewhere.example/' }).end(answer.body);
    });
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
    try {
      const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      const other = await running.signUp();
      const land = () =>
        owner.browser.send('PUT', '/credentials/linking', {
          allowed_origins: [],
          landing_url: `${origin}/welcome`,
          require_user_hash: true,
          attribution_days: 30,
        });
      const verify = (browser = owner.browser) => browser.post('/credentials/origins', { origin });
      expect((await land()).body.params).toEqual({
        landing_url: `leads to ${origin}, which is not verified yet: verify it first`,
      });
      for (const [status, body] of [
        [404, owner.merchant.id],
        [302, owner.merchant.id],
        [200, ''],
        [200, `${owner.merchant.id}x`],
        [200, `<p>Comments</p>\n${owner.merchant.id}\n`],
      ] as const) {
        answer = { status, body };
        expect((await verify()).body.params).toHaveProperty('origin');
      }
      answer = { status: 200, body: `mer_of_somebody_else\r\n${owner.merchant.id}\r\n` };
      const verified = await verify();
      expect((verified.data as OriginsView).verified).toContainEqual({
        origin,
        proof: 'file',
        verified_at: expect.any(String),
      });
      expect(new Set(asked)).toEqual(new Set(['GET /.well-known/rewardhook-verification.txt']));
      expect((await land()).status).toBe(200);
      expect((await verify(other.browser)).body.params).toHaveProperty('origin');
      expect((await credentials()).origins).toMatchObject({
        proof_path: '/.well-known/rewardhook-verification.txt',
        proof_line: owner.merchant.id,
      });
      const inside = await owner.browser.post('/credentials/origins', { origin: 'https://169.254.169.254' });
      expect(inside.body.params).toEqual({ origin: 'must point to a public address' });
    } finally {
      await new Promise((resolve) => site.close(resolve));
    }
  });

  it('A wildcard is refused as an allowed origin', async () => {
    const answer = await owner.browser.send('PUT', '/credentials/linking', {
      allowed_origins: ['https://*.example.com'],
      landing_url: null,
      require_user_hash: true,
      attribution_days: 30,
    });
    expect(answer.body.params).toEqual({
      'allowed_origins[0]': 'is not an origin: there are no wildcards, name each origin',
    });
  });

  it('No list and no log contains a secret', async () => {
    const { secretKey, signingSecret } = owner.merchant;
    const identity = await owner.browser.post('/credentials/identity-secret/reveal');
    const { secret: identitySecret } = identity.data as RevealedSecret;
    const hash = (await flow.database.user.findUniqueOrThrow({ where: { email: owner.email } })).passwordHash;
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    await owner.browser.post('/sign-in', { email: owner.email, password: 'a mistyped pass phrase' });
    const secrets = [secretKey, signingSecret, identitySecret, goodPassword, hash, 'a mistyped pass phrase'];
    const lists = createRoutes(running.dependencies).filter(
      ({ method, path }) => method === 'GET' && !path.includes(':'),
    );
    expect(lists.length).toBeGreaterThan(12);
    for (const { path } of lists) {
      const { text } = await owner.browser.get(path);
      expect([path, secrets.filter((secret) => text.includes(secret))]).toEqual([path, []]);
    }
    const logged = running.logged();
    expect(logged).toContain('signing key revealed');
    expect(secrets.filter((secret) => logged.includes(secret))).toEqual([]);
  });
});

describe('Certify receiver in the console', () => {
  let owner: SignedUpMerchant;
  let receiver: Receiver;
  let respond: (webhook: ReceivedWebhook) => number | Promise<number>;
  beforeAll(async () => {
    owner = await running.signUp();
    receiver = await startReceiver({ respond: (webhook) => respond(webhook) });
  });
  afterAll(() => receiver.close());
  beforeEach(() => {
    receiver.received.length = 0;
    respond = ({ headers, rawBody }) =>
      verifyWebhook({ headers, body: rawBody, secrets: [owner.merchant.signingSecret] }).ok ? 204 : 400;
  });
  const add = async (path: string, { browser }: Pick<SignedUpMerchant, 'browser'> = owner, side = '') => {
    const types = { event_types: ['reward.issue'] };
    const answer = await browser.post(`${side}/webhooks`, { url: receiver.url + path, ...types });
    return (answer.data as WebhookView).id;
  };
  /** Adds a webhook whose URL has answered 2xx to a test event. */
  const register = async (
    path: string,
    { browser }: Pick<SignedUpMerchant, 'browser'> = owner,
    side = '',
  ) => {
    const id = await add(path, { browser }, side);
    const usual = respond;
    respond = () => 204;
    expect((await browser.post(`${side}/webhooks/${id}/test`, {})).status).toBe(200);
    respond = usual;
    receiver.received.length = 0;
    return id;
  };
  const certify = (id: string) => owner.browser.post(`/webhooks/${id}/certify`);

  it('passes a receiver that verifies, with events that are marked as tests, and stores no delivery', async () => {
    const id = await register('/correct');
    const { status, data } = await certify(id);
    const report = data as CertifyReport;
    expect([status, report.outcome, report.marked_as_tests, report.grants_observed]).toEqual([
      200,
      'not_observed',
      true,
      false,
    ]);
    expect(report.checks.filter(({ status: of }) => of !== 'passed')).toEqual([]);
    expect(receiver.received.length).toBeGreaterThan(40);
    for (const { rawBody, path } of receiver.received)
      expect([path, (JSON.parse(rawBody.toString()) as { test: unknown }).test]).toEqual(['/correct', true]);
    const deliveries = await flow.database.delivery.findMany({ where: { endpointId: id } });
    expect(deliveries).toEqual([expect.objectContaining({ attemptsMade: 1 })]);
    const entries = await flow.database.auditEntry.findMany({ where: { action: 'webhook.certified' } });
    expect(entries).toEqual([expect.objectContaining({ subjectId: id, outcome: 'done' })]);
  });

  it('finds a receiver that does not verify signatures', async () => {
    respond = () => 200;
    const report = (await certify(await register('/trusting'))).data as CertifyReport;
    expect(report.outcome).toBe('failed');
    const failed = report.checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
    expect(failed).toEqual(
      expect.arrayContaining(['unsigned', 'wrong_secret', 'altered_body', 'stale', 'future']),
    );
  });

  it('sends nothing before the URL has answered 2xx to a test event', async () => {
    const id = await add('/unproven');
    const refused = await certify(id);
    expect([refused.status, refused.body.reason, refused.body.message]).toEqual([
      409,
      expect.objectContaining({ code: 'webhook_not_proven' }),
      expect.stringContaining('Send a test event first'),
    ]);
    respond = () => 500;
    await owner.browser.post(`/webhooks/${id}/test`, {});
    expect((await certify(id)).status).toBe(409);
    expect(receiver.received).toHaveLength(1);
    respond = () => 400;
    const moved = await register('/proven');
    await owner.browser.send('PATCH', `/webhooks/${moved}`, { url: `${receiver.url}/moved` });
    expect((await certify(moved)).body.reason).toMatchObject({ code: 'webhook_not_proven' });
  });

  it('refuses a second run of the merchant at the same time, and runs of those who may not change webhooks', async () => {
    const id = await register('/busy');
    const ofTestSide = await register('/busy', owner, '/test');
    let release: (status: number) => void = () => undefined;
    const held = new Promise<number>((resolve) => (release = resolve));
    respond = () => held;
    const first = certify(id);
    await receiver.waitFor(() => true);
    const others = [await certify(id), await owner.browser.post(`/test/webhooks/${ofTestSide}/certify`)];
    expect(others.map(({ status, body }) => [status, body.reason?.code])).toEqual([
      [409, 'certification_running'],
      [409, 'certification_running'],
    ]);
    release(410);
    const report = (await first).data as CertifyReport;
    expect(report.checks[0]).toMatchObject({ status: 'failed', finding: { code: 'gone' } });
    expect(report.checks.slice(1).every(({ status }) => status === 'not_run')).toBe(true);
    const stranger = await running.signUp();
    expect((await stranger.browser.post(`/webhooks/${id}/certify`)).status).toBe(404);
  });

  it('is limited to 20 runs an hour, on both sides together', async () => {
    const other = await running.signUp();
    const paths: string[] = [];
    for (const side of ['', '/test'])
      paths.push(`${side}/webhooks/${await register('/limited', other, side)}/certify`);
    respond = () => 400;
    for (let run = 0; run < 10; run += 1)
      for (const path of paths) expect((await other.browser.post(path)).status).toBe(200);
    for (const path of paths) {
      const refused = await other.browser.post(path);
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    }
  });
});

describe('The code examples of the console', () => {
  const run = promisify(execFile);
  const snippet = (name: string) =>
    readFileSync(join(projectRoot, 'apps/console/web/src/rooms/developers/snippets', `${name}.txt`), 'utf8');

  const folder = temporaryFolder();
  let merchant: Merchant;

  beforeAll(async () => {
    merchant = await flow.openMerchant();
    // What `npm install` of the library's archive would do.
    mkdirSync(join(folder.path, 'node_modules/@rewardhook'), { recursive: true });
    symlinkSync(join(projectRoot, 'packages/verify'), join(folder.path, 'node_modules/@rewardhook/verify'));
  }, 120_000);
  afterAll(async () => {
    folder.remove();
  });

  const filled = (name: string) =>
    snippet(name)
      .replace('__SECRET_KEY__', merchant.secretKey)
      .replace('__API_URL__', flow.url)
      .replaceAll('__NOW__', new Date().toISOString());

  it('The curl example sends an order', async () => {
    const { stdout } = await run('sh', ['-c', filled('send-order.sh')]);
    expect(JSON.parse(stdout)).toEqual({ data: { accepted_count: 1 } });
  });

  it('The Node example sends an order', async () => {
    const file = join(folder.path, 'send-order.mjs');
    writeFileSync(file, filled('send-order.mjs'));
    const env = { ...process.env, REWARDHOOK_SECRET_KEY: merchant.secretKey };
    const { stdout } = await run(process.execPath, [file], { env });
    expect(stdout).toMatch(/^202 /);
  });

  it('The userHash example creates a hash that boot accepts', async () => {
    const file = join(folder.path, 'user-hash.mjs');
    writeFileSync(file, `${snippet('user-hash.mjs')}console.log(userHashOf('민수'));`);
    const env = { ...process.env, REWARDHOOK_IDENTITY_SECRET: merchant.identitySecret };
    const user_hash = (await run(process.execPath, [file], { env })).stdout.trim();
    const booted = await flow.boot(merchant, { user_id: '민수', user_hash });
    expect(booted.body.data).toMatchObject({ verified: true, referral_code: expect.any(String) });
  });

  it.each([
    ['node:crypto', 'node.mjs'],
    ['our library', 'quickstart.mjs'],
  ])(
    'The receiver with %s verifies a webhook and rejects a forged one',
    async (_way, name) => {
      merchant = await flow.openMerchant();
      const port = await freePort();
      const file = join(folder.path, name);
      const code = readFileSync(join(projectRoot, 'examples/receivers', name), 'utf8');
      writeFileSync(file, code.replace('8080', String(port)));
      const env = { ...process.env, REWARDHOOK_SIGNING_SECRET: merchant.signingSecret };
      const fromSource = ['--import', 'tsx', '-C', 'source'];
      const receiver = spawn(process.execPath, [...fromSource, file], {
        cwd: projectRoot,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      receiver.stdout.on('data', (text: Buffer) => void (output += text.toString()));
      try {
        const url = `http://127.0.0.1:${port}/`;
        const forged = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
        const refused = await waitFor(forged, { deadlineMs: 20_000, what: 'the receiver' });
        expect(refused.status).toBe(400);
        await flow.admin('webhook add', { merchant: merchant.id, url, events: 'reward.issue' });
        await flow.link(merchant, 'friend', 'member-1');
        await run('sh', ['-c', filled('send-order.sh')]);
        await waitFor(() => output.includes('grant 3000 points to member-1') || undefined, {
          deadlineMs: 20_000,
          what: 'the grant',
        });
      } finally {
        receiver.kill();
      }
    },
    60_000,
  );
});
