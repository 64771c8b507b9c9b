import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { buildOrder } from '@rewardhook/testing';
import { callWithRetries, syncPath } from '../../../tests/harness/call-api.ts';
import { openCleanup } from '../../../tests/harness/cleanup.ts';
import { startApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { RunningApi } from '../../../tests/harness/start-api.ts';

/** A body of about 300 KB. */
const body = () => JSON.stringify({ orders: Array.from({ length: 600 }, () => buildOrder()) });

describe('Requests with large bodies', () => {
  const cleanup = openCleanup();
  let api: RunningApi;
  let merchant: Merchant;
  let other: Merchant;
  beforeAll(async () => {
    const flow = await startFlow({ workers: false });
    cleanup.add(() => flow.close());
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
