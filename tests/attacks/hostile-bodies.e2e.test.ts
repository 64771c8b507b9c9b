import { buildOrder } from '@rewardhook/testing';
import { gzipSync } from 'node:zlib';
import { syncPath } from '../harness/call-api.ts';
import { openAttackedStack } from './attacked-stack.ts';
import type { AttackedMerchant, AttackedStack } from './attacked-stack.ts';
import { changeShape, generateShapes, knownShapes, writeBody } from './hostile-bodies.ts';
import type { HostileBody } from './hostile-bodies.ts';
import { limitOnThisMachine, longestWait } from './waits.ts';

// A search generates bodies within the limits of a request and keeps those that take longest. Ten of the worst are then sent at
// a time. What the neighbour waits beside ten senders of ordinary orders shows how slow the machine is.
jest.setTimeout(300_000);

const limitMs = 200;
const limitOf400Ms = 500;
const limitMegabytes = 250;
const seed = Number(process.env['ATTACK_SEED'] ?? 37);
const atATime = 10;

let stack: AttackedStack;
let attacker: AttackedMerchant;
let neighbour: AttackedMerchant;
beforeAll(async () => {
  stack = await openAttackedStack();
  attacker = await stack.signUp('attacker');
  neighbour = await stack.signUp('neighbour');
});
afterAll(() => stack?.close());

const post = (key: string, body: Buffer | string, headers: Record<string, string>) =>
  fetch(stack.apiUrl + syncPath, {
    method: 'POST',
    headers: { ...headers, 'x-service-key': key },
    // The type of fetch does not have Buffer.
    body: body as string,
  });

const attack = async ({ bytes, headers }: HostileBody) => {
  const answer = await post(attacker.secretKey, bytes, headers);
  await answer.text();
  return answer.status;
};

const postOrders = (count: number) => () =>
  post(neighbour.secretKey, JSON.stringify({ orders: Array.from({ length: count }, () => buildOrder()) }), {
    'content-type': 'application/json',
  });

interface Measured {
  body: HostileBody;
  ms: number;
  status: number;
}

/** The time from a request until its answer; of two, the shorter one. */
async function measure(body: HostileBody): Promise<Measured> {
  let ms = Infinity;
  let status = 0;
  for (let time = 1; time <= 2; time += 1) {
    const startedAt = performance.now();
    status = await attack(body);
    ms = Math.min(ms, performance.now() - startedAt);
  }
  return { body, ms, status };
}

/** Generates bodies, and changes the worst ones twice. Returns the ten that take longest. */
async function findWorst(): Promise<Measured[]> {
  let worst: Measured[] = [];
  const keep = async (bodies: HostileBody[]) => {
    for (const body of bodies) worst.push(await measure(body));
    worst = worst.toSorted((a, b) => b.ms - a.ms).slice(0, atATime);
  };
  await keep(knownShapes.map(writeBody));
  await keep(generateShapes(40, seed).map(writeBody));
  for (let round = 1; round <= 2; round += 1)
    await keep(
      worst.map(({ body }, index) => writeBody(changeShape(body.shape, seed + 100 * round + index))),
    );
  return worst;
}

/** Sends ten bodies at a time, each again as soon as it is answered, until `work` has ended. */
async function beside<T>(bodies: HostileBody[], work: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const statuses = new Map<number, number>();
  const senders = bodies.map(async (body) => {
    while (!ended.signal.aborted) {
      const status = await attack(body);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  try {
    return await work();
  } finally {
    ended.abort();
    await Promise.all(senders);
    process.stdout.write(`${JSON.stringify(Object.fromEntries(statuses))} by status\n`);
  }
}

const ordinaryOrders = (): HostileBody => ({
  shape: (knownShapes as [HostileBody['shape']])[0],
  bytes: Buffer.from(JSON.stringify({ orders: Array.from({ length: 1_000 }, () => buildOrder()) })),
  headers: { 'content-type': 'application/json' },
});

async function expectNeighbourServed(bodies: HostileBody[]): Promise<void> {
  for (const [count, limit] of [
    [1, limitMs],
    [400, limitOf400Ms],
  ] as const) {
    const alone = await longestWait(postOrders(count));
    const ordinary = await beside(Array.from({ length: atATime }, ordinaryOrders), () =>
      longestWait(postOrders(count)),
    );
    const waited = await beside(bodies, () => longestWait(postOrders(count)));
    process.stdout.write(
      `POST of ${count} orders: alone ${alone.toFixed(0)} ms, beside ordinary orders ${ordinary.toFixed(0)} ms, ` +
        `beside the attack ${waited.toFixed(0)} ms\n`,
    );
    expect(waited).toBeLessThan(limitOnThisMachine(limit, ordinary));
  }
}

describe('Ten of the worst bodies at a time', () => {
  it('A neighbour waits at most 200 ms, and 500 ms with 400 orders, beside those that a search finds', async () => {
    const worst = await findWorst();
    for (const { body, ms, status } of worst)
      process.stdout.write(
        `${ms.toFixed(0)} ms ${status} ${body.bytes.length} bytes ${JSON.stringify(body.shape)}\n`,
      );
    for (const { status } of worst) expect([202, 400, 413, 429, 503]).toContain(status);
    await expectNeighbourServed(worst.map(({ body }) => body));
  });

  it('A neighbour waits at most that long beside small bodies that are very large when they are decompressed', async () => {
    const bombs = [' ', '[', '{"orders":['].map((text) => ({
      shape: (knownShapes as [HostileBody['shape']])[0],
      bytes: gzipSync(Buffer.alloc(256 * 1_024 * 1_024, text), { level: 1 }),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    }));
    for (const bomb of bombs) expect([400, 413]).toContain(await attack(bomb));
    await expectNeighbourServed(
      Array.from({ length: atATime }, (_none, index) => bombs[index % 3] as HostileBody),
    );
  });

  it('No process has had more than 250 MB, and none was started again', () => {
    const peaks = stack.peakMegabytes();
    process.stdout.write(`Most memory in MB: ${JSON.stringify(peaks)}\n`);
    expect(Object.entries(peaks).filter(([, megabytes]) => megabytes >= limitMegabytes)).toEqual([]);
    for (const name of Object.keys(peaks)) expect([name, stack.restarts(name)]).toEqual([name, 0]);
  });
});
