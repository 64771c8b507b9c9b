import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { buildOrder } from '@rewardhook/testing';
import { sendRaw } from '../../../tests/harness/raw-http.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startProcess } from '../../../tests/harness/start-process.ts';
import { syncPath } from '../../../tests/harness/call-api.ts';
import type { AppProcess } from '../../../tests/harness/start-process.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';

const rounds = Number(process.env['ABANDONED_ROUNDS'] ?? 4);

describe('abandoned requests', () => {
  let flow: Flow;
  let merchant: Merchant;
  let api: AppProcess;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    merchant = await flow.openMerchant();
    api = await startProcess('api', flow.environment);
  });
  afterAll(async () => {
    await api.close();
    await flow.close();
  });

  const request = (order: unknown) => {
    const body = JSON.stringify({ orders: [order] });
    const head = [
      `POST ${syncPath} HTTP/1.1`,
      'Host: a',
      'Content-Type: application/json',
      `X-Service-Key: ${merchant.secretKey}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
    ];
    return `${head.join('\r\n')}\r\n\r\n${body}`;
  };
  const open = async (): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(api.url).port) });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const send = async (socket: Socket, order: unknown): Promise<string> => {
    socket.write(request(order));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString().slice(0, 12);
  };

  it('A request whose client has disconnected overwrites no newer one, however late it is read', async () => {
    const newest: unknown[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const first = buildOrder({ paid_amount: 1, items: [] });
      const kept = await open();
      expect(await send(kept, buildOrder())).toBe('HTTP/1.1 202');
      api.kill('SIGSTOP');
      const others = await Promise.all(Array.from({ length: 200 }, open));
      const abandoned = await open();
      abandoned.end(request(first));
      await once(abandoned, 'finish');
      abandoned.destroy();
      const again = send(kept, first);
      api.kill('SIGCONT');
      expect(await again).toBe('HTTP/1.1 202');
      expect(await send(kept, { ...first, paid_amount: 2 })).toBe('HTTP/1.1 202');
      // This connection is accepted after all others, so all of their requests have been handled.
      expect((await sendRaw(api.url, request(buildOrder()))).status).toBe(202);
      for (const socket of [...others, kept]) socket.destroy();
      const jobs = (await flow.queues.waiting('sync')) as {
        version: number;
        orders: { order_id: string; paid_amount: number }[];
      }[];
      const ofOrder = jobs.filter(({ orders }) => orders[0]?.order_id === first.order_id);
      newest.push(ofOrder.toSorted((a, b) => b.version - a.version)[0]?.orders[0]?.paid_amount);
    }
    expect(newest).toEqual(Array.from({ length: rounds }, () => 2));
  });
});
