import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { bootPath, callApi, linkPath, syncPath } from '../../../tests/harness/call-api.ts';
import { startApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { userHashOf } from '../../../tests/harness/open-merchant.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { RunningApi } from '../../../tests/harness/start-api.ts';

/** Four of them fit into the 8 MiB of a merchant, and four merchants with four into the 32 MiB of a process. */
const announced = 2_000_000;
const order = () => ({ orders: [buildOrder({ items: [] })] });

describe('bodies in flight', () => {
  let flow: Flow;
  let api: RunningApi;
  const merchants: Merchant[] = [];
  const held: Socket[] = [];
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
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
    await flow.close();
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
