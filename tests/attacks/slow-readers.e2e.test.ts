import { setTimeout } from 'node:timers/promises';
import { buildItem, buildOrder, waitFor } from '@rewardhook/testing';
import { Client } from 'pg';
import { syncPath } from '../harness/call-api.ts';
import { openAttackedStack } from './attacked-stack.ts';
import type { AttackedMerchant, AttackedStack } from './attacked-stack.ts';
import { askWithoutReading, readAt } from './hostile-clients.ts';
import type { HostileClient } from './hostile-clients.ts';
import { limitOnThisMachine, longestWait } from './waits.ts';

// Each attack runs beside the requests of a neighbour. What the neighbour waits beside as many ordinary readers shows how slow the
// machine is.
jest.setTimeout(240_000);

const limitMs = 200;
const limitOf400Ms = 500;
const limitOfMemory = 250;

let stack: AttackedStack;
let reader: AttackedMerchant;
let neighbour: AttackedMerchant;
const largestId = 'largest';
beforeAll(async () => {
  stack = await openAttackedStack();
  reader = await stack.signUp('reader');
  neighbour = await stack.signUp('neighbour');
  // The most products of an order, and as many bytes as a request may have.
  const text = '가'.repeat(230);
  const items = Array.from({ length: 1_000 }, (_none, index) =>
    buildItem({ product_id: `${text}${index}`, product_name: text, sku: text.slice(0, 180) }),
  );
  const answer = await send(reader, [buildOrder({ order_id: largestId, items })]);
  expect([answer.status, await answer.text()]).toEqual([202, expect.any(String)]);
  await waitFor(async () => (await readOrder()).ok, { deadlineMs: 30_000 });
});
afterAll(() => stack?.close());

const send = (merchant: AttackedMerchant, orders: object[]) =>
  fetch(stack.apiUrl + syncPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': merchant.secretKey },
    body: JSON.stringify({ orders }),
  });
const post = (count: number) => () =>
  send(
    neighbour,
    Array.from({ length: count }, () => buildOrder()),
  );
const orderPath = `/api/open/orders/${largestId}/`;
const read = (path: string) => fetch(stack.apiUrl + path, { headers: { 'x-service-key': reader.secretKey } });
const readOrder = () => read(orderPath);
const openPage = (merchant: AttackedMerchant, path: string) =>
  fetch(`${stack.consoleUrl}/api/console${path}`, { headers: merchant.session });

/** Runs readers that ask again as soon as they have their answer, until `work` has ended. */
async function besideReaders<T>(
  count: number,
  ask: () => Promise<Response>,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let answers = 0;
  const readers = Array.from({ length: count }, async () => {
    while (!ended.signal.aborted) {
      const answer = await ask();
      for await (const chunk of answer.body ?? []) void chunk;
      if (answer.ok) answers += 1;
    }
  });
  try {
    const result = await work();
    expect(answers).toBeGreaterThan(0);
    return result;
  } finally {
    ended.abort();
    await Promise.all(readers);
  }
}

/** The sum of a metric of the API over its series, or over those with this text in their labels. */
async function metric(name: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${stack.healthUrls['api']}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(\\{.*\\})? (\\S+)$`, 'gm'))];
  return values
    .filter(([, of = '']) => of.includes(labels))
    .reduce((sum, [, , value]) => sum + Number(value), 0);
}

/** Prints a figure for the report of a release. */
const report = (title: string, values: Record<string, number>) =>
  process.stdout.write(
    `${title}: ${Object.entries(values)
      .map(([name, value]) => `${name} ${value.toFixed(0)}`)
      .join(', ')}\n`,
  );

describe('Beside readers of the largest order', () => {
  it.each([
    [1, limitMs],
    [400, limitOf400Ms],
  ])('A neighbour that sends %i orders waits at most %i ms', async (count, limit) => {
    const ordinary = await besideReaders(
      20,
      () => read('/api/open/orders/?limit=10'),
      () => longestWait(post(count)),
    );
    const beside = await besideReaders(20, readOrder, () => longestWait(post(count)));
    report(`POST of ${count} orders beside 20 readers`, { 'ms ordinary': ordinary, 'ms beside': beside });
    expect(beside).toBeLessThan(limitOnThisMachine(limit, ordinary));
  });

  it('The pages of a neighbour in the console wait at most 200 ms', async () => {
    const page = () => openPage(neighbour, '/orders');
    const ordinary = await besideReaders(
      5,
      () => openPage(reader, '/orders'),
      () => longestWait(page),
    );
    const beside = await besideReaders(
      5,
      () => openPage(reader, `/orders/${largestId}`),
      () => longestWait(page),
    );
    report('Page of the console beside five readers', { 'ms ordinary': ordinary, 'ms beside': beside });
    expect(beside).toBeLessThan(limitOnThisMachine(limitMs, ordinary));
  });
});

describe('80 connections that never read', () => {
  /** Requests of a connection: more than the kernel holds of the answers of the API. */
  const requests = 8;

  it('The API serves a neighbour meanwhile, closes the connections, and holds at most 16 MiB for them', async () => {
    const ask = () =>
      askWithoutReading(stack.apiUrl, orderPath, { 'x-service-key': reader.secretKey }, requests);
    await expectServed('api', post(1), ask, async () => {
      await waitFor(async () => (await metric('rewardhook_unread_answers_ended_total')) > 0, {
        deadlineMs: 60_000,
      });
      // The clients stay for longer than the deadline, and go on reading nothing.
      await waitFor(async () => (await metric('rewardhook_unread_answer_bytes')) === 0, {
        deadlineMs: 90_000,
        everyMs: 500,
      });
    });
  });

  it('The console serves a neighbour meanwhile', async () => {
    const path = `/api/console/orders/${largestId}`;
    const ask = () => askWithoutReading(stack.consoleUrl, path, reader.session, requests);
    await expectServed(
      'console',
      () => openPage(neighbour, '/orders'),
      ask,
      async () => undefined,
    );
  });

  async function expectServed(
    name: 'api' | 'console',
    call: () => Promise<Response>,
    ask: () => HostileClient,
    isOver: () => Promise<void>,
  ): Promise<void> {
    const alone = await longestWait(call);
    const clients = Array.from({ length: 80 }, ask);
    const beside = await longestWait(call);
    await isOver();
    const megabytes = stack.peakMegabytes()[name] as number;
    report(`80 connections to the ${name} that never read`, {
      'ms alone': alone,
      'ms beside': beside,
      'MB of the process': megabytes,
    });
    for (const { socket } of clients) socket.destroy();
    expect(beside).toBeLessThan(limitOnThisMachine(limitMs, alone));
    expect(megabytes).toBeLessThan(limitOfMemory);
  }
});

describe('Beside 20 connections that each send 1,400 requests in one write', () => {
  // Nobody needs a key for it.
  const path = '/r/ABCDEFGH';
  // The volleys are what is measured, not how many of them a client on the same two cores can write.
  const volleyPauseMs = 250;
  const followed = async () =>
    (await metric('rewardhook_http_request_seconds_count', 'route="/r/{code}"')) +
    (await metric('rewardhook_http_requests_aborted_total', 'route="/r/{code}"'));

  /** Sends them, closes the connections, and begins again after a pause, until `work` has ended. Returns its result and the number of connections. */
  async function besideVolleys<T>(work: () => Promise<T>): Promise<[T, number]> {
    const ended = new AbortController();
    let connections = 0;
    const sent = (async () => {
      while (!ended.signal.aborted) {
        const clients = Array.from({ length: 20 }, () => askWithoutReading(stack.apiUrl, path, {}, 1_400));
        connections += clients.length;
        await Promise.all(
          clients.map(({ socket }) => new Promise((resolve) => socket.resume().end().once('close', resolve))),
        );
        await setTimeout(volleyPauseMs);
      }
    })();
    try {
      return [await work(), connections];
    } finally {
      ended.abort();
      await sent;
    }
  }

  /** Runs as many clients that send the same requests one after the other. */
  async function besideOrdinary<T>(work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const clients = Array.from({ length: 20 }, async () => {
      while (!ended.signal.aborted) await (await fetch(stack.apiUrl + path)).text();
    });
    try {
      return await work();
    } finally {
      ended.abort();
      await Promise.all(clients);
    }
  }

  it.each([
    [1, limitMs],
    [400, limitOf400Ms],
  ])(
    'A neighbour that sends %i orders waits at most %i ms, and no more than eight requests of each connection are handled',
    async (count, limit) => {
      const ordinary = await besideOrdinary(() => longestWait(post(count)));
      const [handledBefore, droppedBefore] = [
        await followed(),
        await metric('rewardhook_requests_dropped_total'),
      ];
      const [beside, connections] = await besideVolleys(() => longestWait(post(count)));
      const handled = (await followed()) - handledBefore;
      const dropped = (await metric('rewardhook_requests_dropped_total')) - droppedBefore;
      report(`POST of ${count} orders beside ${connections} connections with 1,400 requests each`, {
        'ms ordinary': ordinary,
        'ms beside': beside,
        'requests handled': handled,
        dropped,
      });
      expect(handled).toBeLessThanOrEqual(8 * (connections + 20));
      expect(dropped).toBeGreaterThan(handled);
      expect(beside).toBeLessThan(limitOnThisMachine(limit, ordinary));
    },
  );
});

describe('Six CSV exports that are read at 1 kB/s', () => {
  let sql: Client;
  let clients: HostileClient[] = [];
  beforeAll(async () => {
    sql = new Client({ connectionString: stack.databaseUrl });
    await sql.connect();
    // More than the kernel holds for six connections.
    await sql.query(
      `INSERT INTO members (merchant_id, member_id, code, look_alike)
       SELECT $1, repeat('member ', 20) || n, 'S' || n, sha256(n::text::bytea) FROM generate_series(1, 100000) n`,
      [reader.id],
    );
  });
  afterAll(async () => {
    for (const { socket } of clients) socket.destroy();
    await sql?.end();
  });

  it('The pages of the same merchant wait at most 200 ms, and no connection to PostgreSQL is held', async () => {
    const page = () => openPage(reader, '/members');
    const alone = await longestWait(page);
    clients = Array.from({ length: 6 }, () =>
      askWithoutReading(stack.consoleUrl, '/api/console/members.csv', reader.session),
    );
    for (const client of clients) readAt(1_000, client);
    await waitFor(() => clients.filter((client) => client.status() === 200).length >= 2);
    const beside = await longestWait(page);
    report('Page of the console beside six exports', { 'ms alone': alone, 'ms beside': beside });
    expect(clients.filter(({ socket }) => socket.destroyed)).toEqual([]);
    expect(beside).toBeLessThan(limitOnThisMachine(limitMs, alone));
    await waitFor(
      async () => {
        const { rows } = await sql.query(
          `SELECT 1 FROM pg_stat_activity WHERE application_name = 'rewardhook-console' AND state <> 'idle'`,
        );
        return rows.length === 0;
      },
      { what: 'a console that holds no connection' },
    );
  });
});

describe('After these attacks', () => {
  it('No process has had more memory than its limit, and none was started again', () => {
    const peaks = stack.peakMegabytes();
    report('Most memory in MB', peaks);
    expect(Object.entries(peaks).filter(([, megabytes]) => megabytes >= limitOfMemory)).toEqual([]);
    for (const name of Object.keys(peaks)) expect([name, stack.restarts(name)]).toEqual([name, 0]);
  });
});
