import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildItem, buildOrder, startReceiver, startTcpProxy, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { verifyWebhook } from '@rewardhook/verify';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { startReceiver as startCorrectReceiver, secret as receiverSecret } from '../testing/receivers.ts';
import { startRecordingProxy } from '../../node/testing/recording-proxy.ts';
import { buildCli, type Cli } from '../testing/run-cli.ts';

jest.setTimeout(60_000);

let cli: Cli;
let flow: Flow;
let merchant: Merchant;
let environment: Record<string, string>;
beforeAll(async () => {
  [cli, flow] = await Promise.all([buildCli(), startFlow()]);
  merchant = await flow.openMerchant();
  environment = { REWARDHOOK_BASE_URL: flow.url, REWARDHOOK_SECRET_KEY: merchant.secretKey };
}, 60_000);
afterAll(async () => {
  await flow.close();
  cli.remove();
});
const file = (name: string, text: string) => {
  writeFileSync(join(cli.folder, name), text);
  return name;
};
const reward = async (referee: string) => {
  await flow.link(merchant, `${referee}-referrer`, referee);
  await flow.syncAndSettle(merchant, buildOrder({ order_id: `${referee}-order`, member_id: referee }));
};

describe('rewardhook listen', () => {
  let receiver: Receiver;
  let status = 204;
  beforeAll(async () => {
    receiver = await startReceiver({ respond: () => status });
  });
  afterAll(() => receiver.close());
  beforeEach(() => {
    status = 204;
    receiver.received.length = 0;
  });
  const listen = async (url = flow.url, ...more: string[]) => {
    const words = ['listen', '--forward-to', `${receiver.url}/hook`, ...more];
    const running = cli.start(words, { ...environment, REWARDHOOK_BASE_URL: url });
    await running.waitFor(/Ready/);
    return running;
  };

  it('forwards new events with both signatures, shows each answer in one line, and ends with Ctrl-C', async () => {
    await reward('before-listen');
    const running = await listen();
    await running.waitFor(/No webhook is registered for reward\.issue/);
    const [, secret = ''] = await running.waitFor(/REWARDHOOK_SIGNING_SECRET=(whsec_\S+)/);
    await reward('after-ready');
    await running.waitFor(/(?:.*reward\.issue .*\n){2}/);
    expect(
      receiver.received.map(({ headers, rawBody }) =>
        verifyWebhook({ headers, body: rawBody, secrets: [secret] }),
      ),
    ).toEqual(Array.from({ length: 2 }, () => expect.objectContaining({ ok: true, signedBy: 'standard' })));
    receiver.setSigningSecret(secret);
    const [first] = receiver.received;
    expect(first?.headers).toMatchObject({
      'x-service-event': 'reward.issue',
      'x-service-attempt': '1',
      'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
      'x-service-delivery': first?.headers['webhook-id'],
    });
    expect(receiver.received.every(({ rawBody }) => rawBody.includes('after-ready'))).toBe(true);
    expect(running.out()).toMatch(/^\d\d:\d\d:\d\d {2}reward\.issue {3}evt_\w+ {2}✓ 204 {2} *\d+ ms$/m);
    running.kill('SIGINT');
    const { code, notes } = await running.ended;
    expect([code, notes]).toEqual([
      0,
      expect.stringContaining('Requests: 2. Events whose last request failed: 0.'),
    ]);
    expect(running.text()).not.toContain(merchant.secretKey);
  });

  it('signs with the same secret on every run, shows why a request failed, and sends it again on request', async () => {
    status = 401;
    const running = await listen(flow.url, '--since', '10m');
    const [, secret] = await running.waitFor(/REWARDHOOK_SIGNING_SECRET=(whsec_\S+)/);
    await running.waitFor(/(?:.*✗ 401.*refused without a reason\n){4}/);
    status = 204;
    running.enter('f');
    await running.waitFor(/(?:.*✓ 204.*attempt 2\n){4}/);
    const [id] = /evt_\w+/.exec(running.out()) ?? [];
    running.enter(`r ${id}`);
    await running.waitFor(new RegExp(`${id} .*attempt 3`));
    running.enter('r evt_unknown');
    await running.waitFor(/evt_unknown was not forwarded by this run/);
    const deliveries = receiver.received.filter(({ rawBody }) => rawBody.includes(String(id)));
    expect(new Set(deliveries.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    const again = await listen();
    expect(again.text()).toContain(secret);
    again.kill('SIGINT');
    await again.ended;
  });

  it('survives an interruption of the API and loses no event', async () => {
    const proxy = await startTcpProxy(flow.url);
    try {
      const running = await listen(proxy.url, '--json');
      proxy.set('cut');
      await running.waitFor(/Interrupted: .*Waiting for the API/);
      await reward('while-away');
      proxy.set('open');
      await waitFor(() => running.out().trim().split('\n').length === 2, {
        deadlineMs: 25_000,
        what: 'both events',
      });
      const lines = running
        .out()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(lines).toEqual(
        [0, 1].map(() =>
          expect.objectContaining({ type: 'reward.issue', ok: true, status: 204, attempt: 1 }),
        ),
      );
      running.kill('SIGINT');
      expect((await running.ended).code).toBe(0);
    } finally {
      await proxy.close();
    }
  });

  it('ends with an error when the key is wrong, when a setting is missing or malformed, and shows no key', async () => {
    const words = ['listen', '--forward-to', receiver.url];
    const run = (changes: Record<string, string>, more: string[] = []) =>
      cli.run([...words, ...more], { ...environment, ...changes });
    const wrongKey = `${merchant.secretKey.slice(0, -1)}${merchant.secretKey.endsWith('A') ? 'B' : 'A'}`;
    const [wrong, isPublic, missing, noUrl, badTime, badType, away] = await Promise.all([
      run({ REWARDHOOK_SECRET_KEY: wrongKey }),
      run({ REWARDHOOK_SECRET_KEY: merchant.publicKey }),
      run({ REWARDHOOK_SECRET_KEY: '' }),
      cli.run(['listen', '--forward-to', 'localhost:4000'], environment),
      run({}, ['--since', 'yesterday']),
      run({}, ['--types', 'reward.nothing']),
      cli.run(['explain', '1'], { ...environment, REWARDHOOK_BASE_URL: 'http://127.0.0.1:1' }),
    ]);
    expect([wrong.code, wrong.notes]).toEqual([1, expect.stringContaining('invalid_api_key')]);
    expect([isPublic.code, isPublic.notes]).toEqual([2, expect.stringContaining('is a public key')]);
    expect([missing.code, missing.notes]).toEqual([
      2,
      expect.stringContaining('REWARDHOOK_SECRET_KEY is not set'),
    ]);
    expect([noUrl.code, noUrl.notes]).toEqual([
      2,
      expect.stringContaining('--forward-to must be a URL that begins with http'),
    ]);
    expect([badTime.code, badTime.notes]).toEqual([2, expect.stringContaining('--since must be')]);
    expect([badType.code, badType.notes]).toEqual([
      2,
      expect.stringContaining('"reward.nothing" is not an event type'),
    ]);
    expect([away.code, away.notes]).toEqual([3, expect.stringContaining('cannot be reached')]);
    for (const { notes } of [wrong, isPublic, noUrl]) {
      expect(notes).not.toContain(wrongKey);
      expect(notes).not.toContain(merchant.secretKey);
      expect(notes).not.toContain(merchant.publicKey);
    }
  });
});

describe('rewardhook trigger', () => {
  it('signs a test event here and posts it to a receiver on this machine', async () => {
    const receiver = await startReceiver({ signingSecret: merchant.signingSecret });
    const variables = { REWARDHOOK_SIGNING_SECRET: merchant.signingSecret };
    const { code, out } = await cli.run(['trigger', 'reward.revoke', '-f', receiver.url], variables);
    expect([code, out]).toEqual([0, expect.stringMatching(/reward\.revoke {2}evt_\w+ {2}✓ 204/)]);
    const [received] = receiver.received;
    expect(received).toMatchObject({ event: 'reward.revoke', verified: true });
    expect(JSON.parse(String(received?.rawBody))).toMatchObject({ type: 'reward.revoke', test: true });
    await receiver.close();
    const away = await cli.run(['trigger', 'reward.issue', '-f', receiver.url], variables);
    expect([away.code, away.out]).toEqual([1, expect.stringContaining('connection refused')]);
    const unknown = await cli.run(['trigger', 'reward.nothing'], variables);
    expect([unknown.code, unknown.notes]).toEqual([
      2,
      expect.stringContaining('Types: reward.issue, reward.revoke'),
    ]);
  });
});

describe('rewardhook trigger without --forward-to', () => {
  it('lets the service send a test event to each registered webhook, and shows the answers', async () => {
    const shop = await flow.openMerchant();
    const settings = { ...environment, REWARDHOOK_SECRET_KEY: shop.secretKey };
    const none = await cli.run(['trigger', 'reward.issue'], settings);
    expect([none.code, none.notes]).toEqual([2, expect.stringContaining('There is no webhook')]);
    const good = await flow.receiver(shop, 'reward.issue');
    await flow.receiver(shop, 'reward.issue', { respond: () => 503 }, '/failing');
    const { code, out } = await cli.run(['trigger', 'reward.issue'], settings);
    expect(code).toBe(1);
    expect(out).toMatch(/reward\.issue {2}http\S+\/hook {2}✓ 204/);
    expect(out).toMatch(/reward\.issue {2}http\S+\/failing {2}✗ 503/);
    expect(good.received[0]).toMatchObject({ event: 'reward.issue', verified: true });
    expect(JSON.parse(String(good.received[0]?.rawBody))).toMatchObject({ test: true });
  });
});

describe('rewardhook orders send', () => {
  const orders = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => buildOrder({ order_id: `${prefix}-${index}` }));
  const storedOrders = (prefix: string) =>
    flow.database.order.count({ where: { merchantId: merchant.id, orderId: { startsWith: `${prefix}-` } } });

  it.each([
    ['an array', 'array', (all: object[]) => JSON.stringify(all, null, 2)],
    ['an object with orders', 'envelope', (all: object[]) => JSON.stringify({ orders: all })],
    ['one order in each line', 'lines', (all: object[]) => all.map((one) => JSON.stringify(one)).join('\n')],
  ])('sends %s in batches', async (_name, prefix, write) => {
    const path = file(`${prefix}.json`, write(orders(prefix, 7)));
    const { code, out } = await cli.run(['orders', 'send', path, '--batch-size', '3'], environment);
    expect([code, out.trim()]).toEqual([0, '7 accepted of 7 orders']);
    await flow.queues.settled();
    expect(await storedOrders(prefix)).toBe(7);
  });

  it.each([
    ['orders', 1_001, [], [1_000, 1]],
    ['products', 11, Array.from({ length: 1_000 }, () => buildItem()), [10, 1]],
    [
      'bytes',
      4,
      Array.from({ length: 400 }, () => buildItem({ product_name: '가'.repeat(255), sku: '가'.repeat(255) })),
      [3, 1],
    ],
  ])('splits a file that has more %s than a request may have', async (what, count, items, sizes) => {
    const proxy = await startRecordingProxy(flow.url);
    try {
      const all = orders(`many-${what}`, count).map((order) => ({ ...order, items }));
      const { code, out } = await cli.run(
        ['orders', 'send', file(`many-${what}.json`, JSON.stringify(all)), '--batch-size', '1000'],
        { ...environment, REWARDHOOK_BASE_URL: proxy.url },
      );
      expect([code, out.trim()]).toEqual([0, `${count} accepted of ${count} orders`]);
      const accepted = proxy.requests.filter(({ status }) => status === 202);
      expect(accepted.map(({ body }) => (JSON.parse(body) as { orders: unknown[] }).orders.length)).toEqual(
        sizes,
      );
    } finally {
      await proxy.close();
    }
  });

  it('names the line and the order of each wrong field, and stores the other batches', async () => {
    const all = orders('wrong', 4);
    Object.assign(all[1] as object, { paid_amount: '1', items: [buildItem({ quantity: 0 })] });
    const path = file('wrong.json', JSON.stringify(all, null, 1));
    const lines = JSON.stringify(all, null, 1).split('\n');
    const lineOf = (text: string) => 1 + lines.findIndex((line) => line.includes(text));
    const { code, out } = await cli.run(['orders', 'send', path, '--batch-size', '2'], environment);
    expect(code).toBe(1);
    expect(out).toContain(
      `wrong.json:${lineOf('"paid_amount": "1"')} order wrong-1  error paid_amount must be an integer`,
    );
    expect(out).toContain(
      `wrong.json:${lineOf('"quantity": 0')} order wrong-1  error items[0].quantity must be 1 or more`,
    );
    expect(out).toContain('2 accepted, 2 not accepted of 4 orders');
    await flow.queues.settled();
    expect(await storedOrders('wrong')).toBe(2);
    const document = JSON.parse(
      (await cli.run(['orders', 'send', path, '--json'], environment)).out,
    ) as object;
    expect(document).toMatchObject({
      orders: 4,
      accepted: 0,
      refused: 4,
      errors: [{ order_id: 'wrong-1' }, { order_id: 'wrong-1' }],
    });
  });

  it('shows the warnings of the API with their line, and refuses unknown fields with --strict', async () => {
    const [order] = orders('warned', 1);
    const path = file('warned.json', JSON.stringify([{ ...order, canceled_at: null }], null, 1));
    const sent = await cli.run(['orders', 'send', path], environment);
    expect(sent.code).toBe(0);
    expect(sent.out).toMatch(/^warned\.json:\d+ order warned-0 {2}warning canceled_at .*cancelled_at/);
    expect(sent.out).toContain('1 accepted, 1 warnings of 1 orders');
    const strict = await cli.run(['orders', 'send', path, '--strict'], environment);
    expect([strict.code, strict.out]).toEqual([1, expect.stringMatching(/warned-0 {2}error canceled_at/)]);
  });

  it('reads the standard input, and names the line of a file that is not JSON', async () => {
    // More than a pipe holds, so that the command has to wait for the rest.
    const piped = cli.start(['orders', 'send', '-'], environment);
    piped.enter(JSON.stringify(orders('piped', 2_000)));
    piped.end();
    expect((await piped.ended).out.trim()).toBe('2000 accepted of 2000 orders');
    const broken = file('broken.json', '[\n{"order_id": "1"},\n{"order_id" "2"}\n]');
    const lines = file('broken.ndjson', '{"order_id": "1"}\n{"order_id"');
    const numbers = file('numbers.json', '[\n{"order_id": "1"},\n2\n]');
    const results = await Promise.all(
      [broken, lines, numbers, 'missing.json'].map((path) => cli.run(['orders', 'send', path], environment)),
    );
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
    expect(results.map(({ notes }) => notes)).toEqual([
      expect.stringContaining('broken.json:3: colon expected'),
      expect.stringContaining('broken.ndjson:2: this line is not a JSON document'),
      expect.stringContaining('numbers.json:3: an order must be a JSON object'),
      expect.stringContaining('missing.json cannot be read (ENOENT)'),
    ]);
  });
});

describe('rewardhook explain', () => {
  it('prints the decision, its checks, what would have to be different, and the timeline', async () => {
    await reward('explained');
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'explained-second', member_id: 'explained' }));
    const [rewarded, second] = await Promise.all(
      ['explained-order', 'explained-second'].map((id) => cli.run(['explain', id], environment)),
    );
    expect([rewarded?.code, second?.code]).toEqual([0, 0]);
    expect(rewarded?.out).toMatch(
      /Order explained-order of member explained\nReferred by explained-referrer, linked/,
    );
    expect(rewarded?.out).toMatch(/✓ This order earned a reward\. {2}\(rewarded\)/);
    expect(rewarded?.out).toMatch(
      /Timeline\n(?:.*\n)*.*reward rwd_\w+: 3000 points for the referee explained/,
    );
    expect(rewarded?.out).toMatch(/linked \d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT/);
    expect(`${rewarded?.out}${second?.out}`).not.toMatch(/[✓✗] .* (?:yes|no)(?:,|$)/m);
    expect(second?.out).toMatch(/✗ No reward: .*explained-order.*\(\w+\)/);
    expect(second?.out).toMatch(/What would have to be different\n {2}It would earn/);
    expect(rewarded?.out).not.toContain('{{');
    expect(second?.out).not.toContain('{{');
  });

  it('prints the document of the API with --json, and says that an order does not exist', async () => {
    const { out } = await cli.run(['explain', 'explained-order', '--json'], environment);
    expect(JSON.parse(out)).toMatchObject({ order_id: 'explained-order', decision: { reason: 'rewarded' } });
    const { code, notes } = await cli.run(['explain', 'no/such order'], environment);
    expect([code, notes]).toEqual([1, expect.stringContaining('There is no order "no/such order"')]);
    const empty = await cli.run(['explain', ''], environment);
    expect([empty.code, empty.notes]).toEqual([2, expect.stringContaining('It must be an id.')]);
  });

  it('ends at once with Ctrl-C while it waits for the API', async () => {
    const api = createServer().listen(0, '127.0.0.1');
    await once(api, 'listening');
    const { port } = api.address() as AddressInfo;
    const running = cli.start(['explain', '1'], {
      ...environment,
      REWARDHOOK_BASE_URL: `http://127.0.0.1:${port}`,
    });
    await once(api, 'request');
    running.kill('SIGINT');
    expect(await running.ended).toEqual({ code: null, out: '', notes: '' });
    api.closeAllConnections();
    api.close();
  });

  it('writes no control characters of texts to the terminal, with and without colours, and escapes them in JSON', async () => {
    const id = 'mallory\n\u001b]0;PWNED\u0007\u009b2J';
    await reward(id);
    const explain = (more: Record<string, string> = {}, ...words: string[]) =>
      cli.run(['explain', `${id}-order`, ...words], { ...environment, ...more });
    const [plain, coloured, json, unknown] = await Promise.all([
      explain(),
      explain({ FORCE_COLOR: '1' }),
      explain({}, '--json'),
      cli.run(['explain', `${id}-unknown`], environment),
    ]);
    const shown = 'mallory ]0;PWNED 2J';
    expect(plain.out).toContain(
      `Order ${shown}-order of member ${shown}\nReferred by ${shown}-referrer, linked`,
    );
    const withoutStyles = coloured.out.replaceAll(/\p{Cc}\[(?:1|2|22|31|32|33|39)m/gu, '');
    expect(coloured.out).not.toBe(withoutStyles);
    expect([plain.code, unknown.code]).toEqual([0, 1]);
    for (const text of [plain.out, withoutStyles, json.out, unknown.notes])
      expect([...text.matchAll(/[^\P{Cc}\n]/gu)]).toEqual([]);
    expect(JSON.parse(json.out)).toMatchObject({ order_id: `${id}-order`, member_id: id });
  });
});

describe('rewardhook certify', () => {
  it('passes a correct receiver with settings of a file, and counts its grants', async () => {
    const receiver = await startCorrectReceiver();
    const env = file('.env', `REWARDHOOK_SIGNING_SECRET=${receiverSecret}\n`);
    const words = ['certify', receiver.url, '--env-file', env, '--as-live', '--grants-url'];
    const { code, out } = await cli.run([...words, receiver.grantsUrl]);
    expect(out).toMatch(/✓ A reward\.issue is accepted +204 {2}\d+ ms {2}granted 1×/);
    expect([code, out]).toEqual([0, expect.stringMatching(/\nCERTIFIED {2}33 passed/)]);
    await receiver.close();
  });

  it('names for each failure what was sent, expected and received, and how to fix it', async () => {
    const receiver = await startCorrectReceiver({ verify: () => true });
    const words = ['certify', receiver.url, '--signing-secret', receiverSecret];
    const [text, json] = await Promise.all([cli.run(words), cli.run([...words, '--json'])]);
    await receiver.close();
    expect([text.code, json.code]).toEqual([1, 1]);
    expect(text.out).toMatch(
      / {2}✗ An unsigned request is refused {2}\(unsigned\)\n {6}sent {8}A reward\.issue without .*\n(?:.*\n)? {6}expected {4}4xx/,
    );
    expect(text.out).toMatch(
      / {6}received {4}It answered 204: it accepted the request\.\n {6}how to fix {2}Anyone/,
    );
    expect(text.out).toMatch(/FAILED {2}13 failed, 2 with a warning, 18 passed/);
    expect(text.out).toContain('NOT observed');
    expect(JSON.parse(json.out)).toMatchObject({
      outcome: 'failed',
      grants_observed: false,
      counts: { failed: 13, warning: 2, passed: 18 },
    });
  });

  it('ends with exit code 3 when the receiver cannot be reached, and 2 without a secret', async () => {
    const away = await cli.run(['certify', 'http://127.0.0.1:1/', '--signing-secret', receiverSecret]);
    expect([away.code, away.out]).toEqual([3, expect.stringMatching(/No connection: connection refused/)]);
    expect(away.out).toMatch(/32 checks not run/);
    const without = await cli.run(['certify', 'http://127.0.0.1:1/']);
    expect([without.code, without.notes]).toEqual([2, expect.stringContaining('--signing-secret whsec_')]);
  });
});
