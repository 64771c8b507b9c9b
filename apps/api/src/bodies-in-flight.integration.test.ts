import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { buildOrder, waitFor } from '@rewardhook/testing';
import {
  bootPath,
  callApi,
  linkPath,
  startApi,
  startFlow,
  syncPath,
  userHashOf,
} from '../../../tests/harness/index.ts';
import type { Flow, Merchant, RunningApi } from '../../../tests/harness/index.ts';

const [process, key] = [1_000_000, 400_000];
const order = () => ({ orders: [buildOrder({ items: [] })] });

describe('bodies in flight', () => {
  let flow: Flow;
  let api: RunningApi;
  let big: Merchant;
  let other: Merchant;
  let third: Merchant;
  const held: Socket[] = [];
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    api = await startApi({ ...flow.environment, bodiesInFlight: { process, key } });
    [big, other, third] = [await flow.openMerchant(), await flow.openMerchant(), await flow.openMerchant()];
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

  /** Opens a client that sends the beginning of a request and then stalls. */
  function hold(apiKey: string, beginning: string | Buffer, fields = ''): void {
    const { hostname, port } = new URL(api.url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.write(
      `POST ${syncPath} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Service-Key: ${apiKey}\r\n${fields}Content-Length: 399999\r\n\r\n`,
    );
    socket.write(beginning);
    held.push(socket);
  }
  const text = padded(300_000).slice(0, 200_000);

  it('A key that exceeds its share gets 429, and other keys are not affected', async () => {
    hold(big.secretKey, text);
    hold(big.secretKey, text.slice(0, 190_000));
    await inFlight(390_000);
    const refused = await send(big, padded(30_000));
    expect(refused.status).toBe(429);
    expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['rate_limited', '1']);
    // Small bodies still fit, and other merchants are not affected.
    expect((await send(big, order())).status).toBe(202);
    expect((await send(other, padded(300_000))).status).toBe(202);
    const user = { user_id: 'ann', user_hash: userHashOf(big, 'ann') };
    // Bodies of the public key count separately, so that neither key can block the other.
    expect((await callApi(api.url, bootPath, user, { key: big.publicKey })).status).toBe(200);
  });

  it('A merchant with several keys has the same share as with one', async () => {
    const second = await flow.admin('key create', { merchant: big.id, kind: 'secret' });
    hold(big.secretKey, text);
    hold(String(second['key']), text.slice(0, 190_000));
    await inFlight(390_000);
    expect((await send(big, padded(30_000))).status).toBe(429);
  });

  it('Stalled bodies of some merchants do not block other merchants when the budget is used up', async () => {
    for (const merchant of [big, other]) {
      hold(merchant.secretKey, text);
      hold(merchant.secretKey, text.slice(0, 190_000));
    }
    hold(third.secretKey, text);
    await inFlight(980_000);
    const fourth = await flow.openMerchant();
    expect((await send(fourth, padded(300_000))).status).toBe(202);
    // The oldest bodies of the two largest shares were evicted, and none of the third, smaller share.
    await inFlight(580_000);
    expect((await send(fourth, order())).status).toBe(202);
  });

  it('When the budget is used up, the request that would make its share the largest gets 503, and no body is evicted', async () => {
    for (const merchant of [big, other, third]) {
      hold(merchant.secretKey, text);
      hold(merchant.secretKey, text.slice(0, 133_000));
    }
    await inFlight(999_000);
    const refused = await send(third, padded(30_000));
    expect(refused.status).toBe(503);
    expect([refused.body.code, refused.headers.get('retry-after')]).toEqual(['service_unavailable', '1']);
    await inFlight(999_000);
    const link = { referrer_member_id: 'ann', referee_member_id: 'bob' };
    const fourth = await flow.openMerchant();
    expect((await callApi(api.url, linkPath, link, { key: fourth.secretKey })).status).toBe(201);
  });

  it('A refused body is released while its client is still sending', async () => {
    hold(big.secretKey, text);
    await inFlight(200_000);
    hold(big.secretKey, padded(349_000).slice(0, 250_000));
    await inFlight(200_000);
    expect((await send(big, padded(190_000))).status).toBe(202);
  });

  it('Compressed bodies count by their decompressed size, while they are decompressed', async () => {
    hold(big.secretKey, text);
    await inFlight(200_000);
    expect((await send(big, padded(190_000))).status).toBe(202);
    const packed = gzipSync(padded(210_000));
    expect(packed.length).toBeLessThan(2_000);
    expect((await send(big, packed, { 'content-encoding': 'gzip' })).status).toBe(429);
  });

  it('A body is released when its request is answered, for every kind of response', async () => {
    const bodies = [padded(340_000), `${padded(340_000)}]`, padded(360_000), gzipSync(padded(345_000))];
    for (let round = 0; round < 3; round += 1)
      for (const body of bodies) {
        const { status } = await send(
          big,
          body,
          typeof body === 'string' ? {} : { 'content-encoding': 'gzip' },
        );
        expect([202, 400, 413]).toContain(status);
      }
  });

  it('No byte of a body is read before its key is accepted', async () => {
    for (let client = 0; client < 8; client += 1) hold('svc_sk_nobody', text);
    expect((await send(big, padded(340_000))).status).toBe(202);
    expect((await callApi(api.url, syncPath, '{', { key: 'svc_sk_nobody' })).status).toBe(401);
  });
});
