import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

interface Attempt {
  number: number;
  status: number | null;
  error: string | null;
  warning: string | null;
  retried_on_new_connection: boolean;
  ignored: boolean;
}

describe('A raw receiver', () => {
  let flow: Flow;
  let merchant: Merchant;
  let server: Server | undefined;
  /** Deliveries of the merchant. */
  let expected: number;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    expected = 0;
  });
  afterEach(() => {
    server?.close();
    for (const socket of sockets) socket.destroy();
  });
  afterAll(() => flow.close());

  /** Registers a server that does this with each request; `request` counts those of the connection, from 1. */
  async function receive(answer: (socket: Socket, request: number) => void): Promise<string[]> {
    const attempts: string[] = [];
    const listening = (server = createServer((socket) => {
      sockets.add(socket);
      let request = 0;
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        const number = /x-service-attempt: (\d+)/i.exec(chunk.toString())?.[1];
        if (number === undefined) return;
        attempts.push(number);
        answer(socket, ++request);
      });
    }));
    await new Promise<void>((resolve) => void listening.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
    await flow.admin('webhook add', { merchant: merchant.id, url, events: 'reward.issue' });
    return attempts;
  }

  async function get<Data>(path: string): Promise<Data> {
    const { body } = await flow.call(`/api/open/${path}`, undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    return body.data as Data;
  }

  /** Earns both rewards of an order, and returns the attempts of their deliveries once they are delivered. */
  async function deliver(friend: string): Promise<{ attempts: Attempt[]; orderId: string }> {
    await flow.link(merchant, 'ann', friend);
    const order = buildOrder({ member_id: friend });
    await flow.sync(merchant, order);
    const find = () => flow.database.delivery.findMany({ where: { merchantId: merchant.id } });
    expected += 2;
    await waitFor(
      async () => (await find()).filter(({ state }) => state === 'delivered').length === expected,
      { deadlineMs: 15_000 },
    );
    const all = await Promise.all(
      (await find()).map(({ id }) => get<{ attempts: Attempt[] }>(`deliveries/${id}/`)),
    );
    return { attempts: all.flatMap(({ attempts }) => attempts), orderId: order.order_id };
  }

  it('that answers 204 with a body and an endless 200 has received the events: each attempt has a warning', async () => {
    let answered = 0;
    await receive((socket) =>
      socket.write(
        ++answered === 1
          ? 'HTTP/1.1 204 No Content\r\n\r\nok'
          : 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n',
      ),
    );
    const { attempts, orderId } = await deliver('bob');
    expect(attempts.map(({ status }) => String(status)).sort()).toEqual(['200', '204']);
    expect(attempts.map(({ error }) => error)).toEqual([null, null]);
    expect(attempts.map(({ warning }) => String(warning)).sort()).toEqual([
      expect.stringMatching(/Parse Error/),
      'the body did not end within 2000 ms',
    ]);
    const { timeline } = await get<{ timeline: { what: string; warning?: string }[] }>(
      `orders/${orderId}/explain/`,
    );
    const warned = timeline.filter(({ what, warning }) => what === 'attempt' && warning !== undefined);
    expect(warned).toHaveLength(2);
  });

  it('that resets its connections between two requests costs no attempt: the request is sent once more', async () => {
    const requests = await receive((socket, request) => {
      if (request === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      else socket.resetAndDestroy();
    });
    await deliver('bob');
    const { attempts } = await deliver('carl');
    expect(attempts.map(({ number, status }) => [number, status])).toEqual(Array(4).fill([1, 200]));
    expect(attempts.some((attempt) => attempt.retried_on_new_connection)).toBe(true);
    expect(new Set(requests)).toEqual(new Set(['1']));
    expect(requests.length).toBeGreaterThan(4);
  });

  it('that answers with "ignored": true has ignored the event, and one that does not has not', async () => {
    let answered = 0;
    await receive((socket) => {
      const body = ++answered === 1 ? '{"ignored": true}' : '{}';
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
    const { attempts } = await deliver('bob');
    expect(attempts.map(({ ignored }) => String(ignored)).sort()).toEqual(['false', 'true']);
  });
});
