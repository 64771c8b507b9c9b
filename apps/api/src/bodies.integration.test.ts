import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { bootPath, callApi, linkPath, syncPath, callWithRetries } from '../../../tests/harness/call-api.ts';
import { openCleanup } from '../../../tests/harness/cleanup.ts';
import { userHashOf } from '../../../tests/harness/open-merchant.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { sendRaw } from '../../../tests/harness/raw-http.ts';
import { startApi } from '../../../tests/harness/start-api.ts';
import type { RunningApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

describe('bodies in flight', () => {
  /** Four of them fit into the 8 MiB of a merchant, and four merchants with four into the 32 MiB of a process. */
  const announced = 2_000_000;
  const order = () => ({ orders: [buildOrder({ items: [] })] });

  let api: RunningApi;
  const merchants: Merchant[] = [];
  const held: Socket[] = [];
  beforeAll(async () => {
    api = await startApi(flow.environment);
    for (let count = 0; count < 5; count += 1) merchants.push(await flow.openMerchant());
  });
  afterEach(async () => {
    for (const socket of held.splice(0)) socket.destroy();
    // The bytes of disconnected clients are released.
    await inFlight(0);
  });
  afterAll(async () => {
    await api.close();
  });

  const [big, other] = [() => merchants[0] as Merchant, () => merchants[1] as Merchant];
  const send = (merchant: Merchant, body: unknown, headers: Record<string, string> = {}) =>
    callApi(api.url, syncPath, body, { key: merchant.secretKey, headers });
  const padded = (bytes: number) => JSON.stringify({ padding: 'x'.repeat(bytes - 600), ...order() });

  /** Resolves when the given number of bytes is in flight. */
  const inFlight = (bytes: number) =>
    waitFor(
      async () => {
        const shown = await api.metrics.registry.getSingleMetricAsString('rewardhook_body_bytes_in_flight');
        return shown.trimEnd().endsWith(` ${bytes}`);
      },
      { everyMs: 5, what: `${bytes} bytes in flight` },
    );

  /** Opens clients that announce a body, send the beginning of it, and stall. */
  function hold(apiKey: string, clients: number): void {
    const { hostname, port } = new URL(api.url);
    for (let client = 0; client < clients; client += 1) {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => undefined);
      const head = `Host: a\r\nContent-Type: application/json\r\nX-Service-Key: ${apiKey}\r\nContent-Length: ${announced}`;
      socket.write(`POST ${syncPath} HTTP/1.1\r\n${head}\r\n\r\n{"orders":[`);
      held.push(socket);
    }
  }

  it('A merchant beyond its share gets 429, with any of its keys, and other merchants are not affected', async () => {
    const second = await flow.admin('key create', { merchant: big().id, kind: 'secret' });
    hold(big().secretKey, 2);
    hold(String(second['key']), 2);
    await inFlight(4 * announced);
    const refused = await send(big(), padded(announced));
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '1',
    ]);
    // Small bodies still fit.
    expect((await send(big(), order())).status).toBe(202);
    expect((await send(other(), padded(announced))).status).toBe(202);
    const user = { user_id: 'ann', user_hash: userHashOf(big(), 'ann') };
    // Bodies of the public key count separately, so that neither kind of key can block the other.
    expect((await callApi(api.url, bootPath, user, { key: big().publicKey })).status).toBe(200);
  });

  it('When the process has all the bytes that it may have, requests get 503, and small ones still fit', async () => {
    const next = merchants[4] as Merchant;
    for (const { secretKey } of merchants.slice(0, 4)) hold(secretKey, 4);
    await inFlight(16 * announced);
    const refused = await send(next, padded(announced));
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ]);
    const link = { referrer_member_id: 'ann', referee_member_id: 'bob' };
    expect((await callApi(api.url, linkPath, link, { key: next.secretKey })).status).toBe(201);
  });

  it('A body is released when its request is answered, for every kind of response', async () => {
    const bodies = [padded(900_000), `${padded(900_000)}]`, padded(2_200_000), gzipSync(padded(900_000))];
    for (let round = 0; round < 3; round += 1)
      for (const body of bodies) {
        const headers: Record<string, string> =
          typeof body === 'string' ? {} : { 'content-encoding': 'gzip' };
        expect([202, 400, 413]).toContain((await send(big(), body, headers)).status);
        await inFlight(0);
      }
  });

  it('No byte of a body is read before its key is accepted', async () => {
    hold('svc_sk_nobody', 30);
    expect((await send(big(), padded(announced))).status).toBe(202);
    expect((await callApi(api.url, syncPath, '{', { key: 'svc_sk_nobody' })).status).toBe(401);
  });
});

describe('Requests with large bodies', () => {
  /** A body of about 300 KB. */
  const body = () => JSON.stringify({ orders: Array.from({ length: 600 }, () => buildOrder()) });

  const cleanup = openCleanup();
  let api: RunningApi;
  let merchant: Merchant;
  let other: Merchant;
  beforeAll(async () => {
    api = await startApi(flow.environment);
    cleanup.add(() => api.close());
    [merchant, other] = [await flow.openMerchant(), await flow.openMerchant()];
  });
  afterAll(() => cleanup.run());

  /** Opens a client that sends more than the first 64 KiB of a body, and then nothing. */
  function stall({ secretKey }: Merchant) {
    const { hostname, port } = new URL(api.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    const head = `Host: a\r\nContent-Type: application/json\r\nX-Service-Key: ${secretKey}\r\nContent-Length: 300000`;
    socket.write(`POST ${syncPath} HTTP/1.1\r\n${head}\r\n\r\n${body().slice(0, 200_000)}`);
    return socket;
  }

  it('are all accepted when they arrive at the same time, compressed or not, beside clients that stall or close', async () => {
    const stalled = Array.from({ length: 5 }, () => stall(other));
    const closed = Array.from({ length: 5 }, () => stall(merchant));
    const send = (bytes: string | Buffer, headers = {}) =>
      callWithRetries(api.url, syncPath, bytes, { key: merchant.secretKey, headers });
    // While one of them arrives, a compressed body holds 2 MiB of the 8 of its merchant.
    const sending = Array.from({ length: 3 }, () => [
      send(body()),
      send(gzipSync(body()), { 'content-encoding': 'gzip' }),
    ]);
    for (const socket of closed) socket.destroy();
    const answers = await Promise.all(sending.flat());
    for (const socket of stalled) socket.destroy();
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 202));
  });

  it('are accepted one after the other on one connection, also after one that was refused', async () => {
    const agent = new Agent({ connections: 1, pipelining: 1 });
    cleanup.add(() => agent.close());
    const send = async (bytes: string) => {
      const answer = await request(`${api.url}${syncPath}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-key': merchant.secretKey },
        body: bytes,
        dispatcher: agent,
      });
      await answer.body.dump();
      return answer.statusCode;
    };
    const statuses = [];
    for (const bytes of [body(), `${body()}]`, body(), body().padEnd(2_200_000), body()])
      statuses.push(await send(bytes));
    expect(statuses).toEqual([202, 400, 202, 413, 202]);
  });
});

describe('the API under hostile HTTP', () => {
  let merchant: Merchant;
  let queued: number;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
    queued = await flow.queues.pending('sync');
  });
  afterEach(async () => {
    // The server answers the next request, and nothing was queued.
    expect(await flow.queues.pending('sync')).toBe(queued);
    const health = await fetch(`${flow.url}/health/ready`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  });

  const valid = JSON.stringify({ orders: [buildOrder({ items: [] })] });
  const head = (fields: Record<string, string>, target = syncPath, version = '1.1', method = 'POST') =>
    [
      `${method} ${target} HTTP/${version}`,
      ...Object.entries({
        Host: 'api.example',
        'Content-Type': 'application/json',
        'X-Service-Key': merchant.secretKey,
        ...fields,
      }).map(([name, value]) => `${name}: ${value}`),
      '',
      '',
    ].join('\r\n');
  const sized = { 'Content-Length': String(Buffer.byteLength(valid)) };

  /** Sends raw bytes. The response must be an error in the contract's format. */
  async function refused(bytes: string | Buffer, end = false): Promise<[number | undefined, string]> {
    const { status, headers, body } = await sendRaw(flow.url, bytes, { end });
    if (status === undefined) return [undefined, ''];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(headers).toMatch(/^content-type: application\/json/im);
    expect(headers).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(headers).not.toMatch(/^x-powered-by/im);
    const error = JSON.parse(body) as Record<string, unknown>;
    expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect(error['request_id']).toMatch(/./);
    return [status, String(error['code'])];
  }

  it.each<[string, () => string | Buffer]>([
    ['noise', () => 'GARBAGE\r\n\r\n'],
    ['zero bytes', () => Buffer.alloc(600)],
    ['a TLS hello', () => Buffer.from('16030100c8010000c40303', 'hex')],
    ['an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', () => head(sized, syncPath, '9.9') + valid],
    ['an unknown method', () => head(sized, syncPath, '1.1', 'FETCH') + valid],
    ['a header without a colon', () => `POST ${syncPath} HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n`],
    ['a NUL in a header', () => head({ ...sized, 'X-Odd': 'a\0b' }) + valid],
    ['a space before the colon', () => head({ ...sized, 'X-Odd ': 'a' }) + valid],
    ['two lengths', () => head({ ...sized, 'content-length': '3' }) + valid],
    ['a negative length', () => head({ 'Content-Length': '-1' }) + valid],
    ['a length that is no number', () => head({ 'Content-Length': 'many' }) + valid],
    [
      'a length and chunks (request smuggling)',
      () => head({ ...sized, 'Transfer-Encoding': 'chunked' }) + valid,
    ],
    ['chunks that are none', () => `${head({ 'Transfer-Encoding': 'chunked' })}zz\r\n${valid}\r\n0\r\n\r\n`],
    ['an unknown transfer encoding', () => head({ 'Transfer-Encoding': 'rot13' }) + valid],
    ['headers of 20 KB', () => head({ ...sized, 'X-Long': 'x'.repeat(20_000) }) + valid],
    ['no Host', () => `POST ${syncPath} HTTP/1.1\r\nX-Service-Key: no\r\n\r\n`],
    ['a strange Expect', () => head({ ...sized, Expect: 'a-miracle', 'X-Service-Key': 'no' }) + valid],
  ])('A request with %s gets a JSON 4xx', async (_what, bytes) => {
    const [status] = await refused(bytes());
    expect(status).toBeDefined();
  });

  it.each([
    ['percent garbage', `${syncPath}%ff%zz%`, 404],
    ['percent garbage in the path of a route', '/api/open/orders/%73ync%', 400],
    ['a NUL in the path', `${syncPath}%00`, 404],
    ['dots', '/api/open/members/../orders/sync', 404],
    ['empty segments', '//api//open//orders//sync', 404],
    ['__proto__', '/__proto__/constructor', 404],
    ['a path of 8 KB', `/${'a'.repeat(8_000)}`, 404],
    ['an absolute URL of another path', 'http://evil.example/elsewhere', 404],
    ['an asterisk', '*', 404],
    ['an absolute URL with a bad port', 'http://a:99999999/x', 404],
    ['an empty authority', 'http:///x', 404],
  ])('A request target with %s is refused', async (_what, target, expected) => {
    const code = expected === 404 ? 'not_found' : 'invalid_request';
    expect(await refused(head(sized, target) + valid)).toEqual([expected, code]);
  });

  it.each(['/r/%ff', '/r/%E0%A4%A', '/r/%00', '/r/..%2f..%2fetc%2fpasswd', `/r/${'x'.repeat(3_000)}`])(
    'The share link %s gets the page of a dead link',
    async (target) => {
      const { status, headers, body } = await sendRaw(flow.url, head({}, target, '1.1', 'GET'));
      expect(status).toBe(404);
      expect(headers).toMatch(/^content-type: text\/html; charset=utf-8/im);
      expect(body).toContain('This invitation link does not work');
    },
  );

  it.each([
    ['/api/open/orders/%00/explain/', 404],
    ['/api/open/orders/a%00b/explain', 404],
    ['/api/open/orders/%E0%A4%A/explain/', 400],
    ['/api/open/orders/%ED%A0%80/explain/', 400],
    ['/api/open/orders/%ff/explain/', 400],
    [`/api/open/orders/${'x'.repeat(5_000)}/explain/`, 404],
    ['/api/open/orders/%F0%9F%8E%81/explain/', 404],
    ['/api/open/members/%00/', 404],
    ['/api/open/members/%ED%A0%80', 400],
    ['/api/open/events/?after=%00', 400],
    ['/api/open/events/?after=%E0%A4%A', 400],
    ['/api/open/events/?after=%ED%A0%80', 400],
    ['/api/open/events/?after=v1.', 400],
    [`/api/open/events/?after=v1.${'A'.repeat(8_000)}`, 400],
    ['/api/open/events/?after=a&after=b', 400],
    ['/api/open/events/?after[]=a', 400],
    ['/api/open/events/?limit=%00', 400],
    ['/api/open/events/?limit=1e3', 400],
    ['/api/open/events/?limit=%2B5', 400],
    ['/api/open/events/?types=__proto__', 400],
    ['/api/open/events/?types=reward.issue%00', 400],
    ['/api/open/events/?%E0%A4%A=%zz', 400],
    ['/api/open/events/?__proto__[after]=a', 400],
    ['/api/open/events/?__proto__=a', 400],
    ['/api/open/orders/?constructor=a', 400],
    ['/api/open/deliveries/x/', 404],
  ])('GET %s is answered with %d', async (target, expected) => {
    const { status, headers, body } = await sendRaw(flow.url, head({}, target, '1.1', 'GET'));
    expect([status, body.slice(0, 300)]).toEqual([expected, expect.stringMatching(/^\{"(data|code)"/)]);
    expect(headers).toMatch(/^x-content-type-options: nosniff\r?$/im);
  });

  it('A request with an absolute URL requires a key', async () => {
    const bytes = head({ ...sized, 'X-Service-Key': '' }, `http://evil.example${syncPath}`) + valid;
    expect(await refused(bytes)).toEqual([401, 'invalid_api_key']);
  });

  it.each(['CONNECT', 'TRACE', 'QUERY', 'PURGE', 'M-SEARCH', 'PROPFIND'])(
    'The method %s is refused, or the connection is closed',
    async (method) => {
      const [status] = await refused(head(sized, syncPath, '1.1', method) + valid);
      expect([undefined, 400, 405]).toContain(status);
    },
  );

  it('A request to upgrade the connection is not upgraded', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Key': 'x', ...sized };
    expect(await refused(head({ ...upgrade, 'X-Service-Key': '' }) + valid)).toEqual([
      401,
      'invalid_api_key',
    ]);
  });

  it('A key that is sent twice is invalid', async () => {
    const twice = head(sized).replace('\r\n\r\n', `\r\nX-Service-Key: ${merchant.secretKey}\r\n\r\n`);
    expect(await refused(twice + valid)).toEqual([401, 'invalid_api_key']);
  });

  it('A body that ends too early is not queued', async () => {
    const cut = head({ 'Content-Length': '5000' }) + valid;
    const [status] = await refused(cut, true);
    expect([undefined, 400]).toContain(status);
  });

  it('A body that is longer than its Content-Length is not queued', async () => {
    const short = head({ 'Content-Length': String(valid.length - 5) }) + valid;
    expect(await refused(short)).toEqual([400, 'invalid_request']);
  });

  it('The server survives clients that disconnect in the middle of a request', async () => {
    const chunked = head({ 'Transfer-Encoding': 'chunked' });
    const beginnings = [
      'POST ',
      head(sized).slice(0, 60),
      head(sized),
      head(sized) + valid.slice(0, 30),
      chunked,
      `${chunked}ffff\r\n${valid.slice(0, 30)}`,
      `${chunked}${valid.length.toString(16)}\r\n${valid}\r\n`,
      `${head({ 'Content-Length': '5000', 'Content-Encoding': 'gzip' })}\x1f\x8b\x08`,
    ];
    await Promise.all(
      Array.from({ length: 5 }, () => beginnings)
        .flat()
        .map((bytes) => sendRaw(flow.url, bytes, { cut: true })),
    );
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'])(
    'A header, path segment, query field or body field named %s is refused or ignored',
    async (name) => {
      const boot = '/api/open/members/boot/';
      const hook = '/api/open/webhooks/x/test/';
      const { publicKey } = await flow.openMerchant();
      const toBoot = { ...sized, 'X-Service-Key': publicKey, 'Content-Encoding': name };
      expect(await refused(head({ ...sized, 'Content-Encoding': name }) + valid)).toEqual([
        400,
        'invalid_request',
      ]);
      expect(await refused(head(toBoot, boot) + valid)).toEqual([400, 'invalid_request']);
      expect(await refused(head({ ...sized, 'Content-Encoding': name }, hook) + valid)).toEqual([
        400,
        'invalid_request',
      ]);
      await refused(head({ ...sized, 'Content-Type': name }) + valid);
      await refused(head({ ...sized, 'Content-Type': `application/json; charset=${name}` }) + valid);
      await refused(head({ ...sized, 'X-Service-Key': name }) + valid);
      await refused(head({ ...sized, 'Transfer-Encoding': name }) + valid);
      await refused(head({ 'Content-Length': '0', Prefer: name, Expect: name }) + valid);
      await refused(head(sized, `${syncPath}${name}/`) + valid);
      for (const target of [
        `/api/open/events/?${name}=1`,
        `/api/open/${name}/`,
        `/api/open/members/${name}/`,
      ])
        await refused(head({}, target, '1.1', 'GET'));
      const body = `{"orders":[{"${name}":{"${name}":1}}]}`;
      await refused(head({ 'Content-Length': String(body.length) }) + body);
    },
  );

  it('The first of two pipelined requests is answered, even if the second is invalid', async () => {
    const bytes = `${head({ 'Content-Length': '2' })}{}GARBAGE\r\n\r\n`;
    const { status, body } = await sendRaw(flow.url, bytes);
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([400, 'invalid_request']);
  });
});

describe('Many requests of one merchant', () => {
  let merchant: Merchant;
  beforeEach(async () => (merchant = await flow.openMerchant()));

  /** Runs `during` in a transaction that holds the locks of a statement. */
  const lock = (sql: string, values: string[], during: () => Promise<void>) =>
    flow.database.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(sql, ...values);
      await during();
    });

  /** Statements of this database that wait for a lock. */
  async function countWaiting(): Promise<number> {
    const [row] = await flow.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.count ?? 0;
  }

  const readOrders = (of: Merchant, signal?: AbortSignal) =>
    fetch(`${flow.url}/api/open/orders/`, {
      headers: { 'x-service-key': of.secretKey },
      ...(signal && { signal }),
    });

  it('leave connections to PostgreSQL for other merchants while their links wait for a lock', async () => {
    const other = await flow.openMerchant();
    let links: Promise<number>[] = [];
    const linksOf = "SELECT pg_advisory_xact_lock(hashtextextended('rewardhook links ' || $1, 0))";
    await lock(linksOf, [merchant.id], async () => {
      links = Array.from({ length: 30 }, async (_, index) => {
        const { status } = await flow.link(merchant, `referrer-${index}`, `referee-${index}`);
        return status;
      });
      await waitFor(async () => (await countWaiting()) === 2);
      expect((await flow.link(other, 'ann', 'bob')).status).toBe(201);
      expect((await readOrders(other)).status).toBe(200);
      expect(await countWaiting()).toBe(2);
    });
    expect(new Set(await Promise.all(links))).toEqual(new Set([201]));
  });

  it('count until PostgreSQL has answered, although their clients have closed the connections', async () => {
    await lock('LOCK TABLE orders IN ACCESS EXCLUSIVE MODE', [], async () => {
      const clients = new AbortController();
      const reads = Array.from({ length: 5 }, () =>
        readOrders(merchant, clients.signal).catch(() => undefined),
      );
      // The others wait for a permit, and go on waiting.
      await waitFor(async () => (await countWaiting()) === 2);
      clients.abort();
      await Promise.all(reads);
      for (let read = 0; read < 20; read += 1) {
        const { status, headers } = await readOrders(merchant);
        expect([status, headers.get('retry-after')]).toEqual([429, '1']);
      }
    });
    await waitFor(async () => (await readOrders(merchant)).status === 200);
  });
});
