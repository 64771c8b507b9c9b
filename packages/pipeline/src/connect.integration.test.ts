import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Redis as SingleRedis } from 'ioredis';
import { waitFor } from '@rewardhook/testing';
import { startRedis } from '@rewardhook/testing/servers';
import type { Server } from '@rewardhook/testing/servers';
import { openCleanup } from '../../../tests/harness/cleanup.ts';
import { testContext } from '../../../tests/harness/test-context.ts';
import { testLog } from '../../../tests/harness/test-log.ts';
import { connectQueues } from './connect.ts';
import { connectWorker, disconnect, connectProducer } from './redis.ts';
import type { Redis } from './redis.ts';
import { IntakeUnavailable, openIntake } from './intake.ts';
import type { Intake } from './intake.ts';
import { openQueue } from './queues.ts';
import { callsInFlight } from './versions.ts';

describe('connectQueues', () => {
  it('The metric of the state of Redis shows that fewer replicas are connected than must have a request', async () => {
    const cleanup = openCleanup();
    const context = testContext('api', cleanup);
    try {
      connectQueues(
        {
          REDIS_URL: String(process.env['TEST_REDIS_URL']),
          QUEUE_PREFIX: `{connect-${process.pid}}`,
          QUEUE_SHARDS: 1,
          REDIS_WAIT_REPLICAS: 1,
        },
        context,
      );
      await waitFor(async () =>
        /^rewardhook_redis_state\{state="under_replicated"\} 1$/m.test(
          await context.metrics.registry.metrics(),
        ),
      );
    } finally {
      await cleanup.run();
    }
  });
});

describe('A connection whose database does not exist', () => {
  const url = new URL(String(process.env['TEST_REDIS_URL']));
  const inFirstDatabase = connectWorker(url.href, testLog);
  url.pathname = '/999';
  const connection = connectWorker(url.href, testLog) as SingleRedis;
  afterAll(() => disconnect(inFirstDatabase));

  it('sends no command to another database, nor does the one that BullMQ makes of it to wait for jobs', async () => {
    const key = `{connect-${process.pid}}:key`;
    for (const refused of [connection, connection.duplicate()]) {
      let times = 0;
      refused.on('error', () => (times += 1));
      refused.set(key, '1').catch(() => undefined);
      await waitFor(() => times >= 3, { what: 'three refused connections' });
      refused.disconnect();
    }
    expect(await inFirstDatabase.exists(key)).toBe(0);
  });
});

describe('The intake', () => {
  const prefix = '{intake}';

  const dir = mkdtempSync(join(tmpdir(), 'rewardhook-intake-'));
  let server: Server;
  let producing: Redis;
  let inspecting: Redis;
  let queue: ReturnType<typeof openQueue<'sync'>>;
  let intake: Intake;
  beforeAll(async () => {
    server = await startRedis({ dir });
    producing = connectProducer(server.url, testLog);
    inspecting = connectWorker(server.url, testLog);
    queue = openQueue('sync', inspecting, prefix);
    intake = openIntake(producing, {
      prefix,
      log: testLog,
      findFreeVersion: async () => 1,
    });
  });
  afterAll(async () => {
    await intake.close();
    await queue.close();
    await disconnect(producing);
    await disconnect(inspecting);
    await server.stop();
    rmSync(dir, { recursive: true });
  });

  const accept = (merchantId: string) => intake.accept(merchantId, { count: 1, json: '[]' });

  it('A request that was refused because Redis did not answer in time is not enqueued when Redis answers again', async () => {
    await waitFor(() => accept('before').then(() => true));
    await inspecting.client('PAUSE', 60_000, 'WRITE');
    const refused: Promise<unknown>[] = [];
    // The last one waits until one of the calls before it has failed, and sends its call just before it is refused.
    for (let sent = 0; sent <= callsInFlight; sent += 1) {
      refused.push(accept('refused').catch((error: unknown) => error));
      await setImmediate();
      await setImmediate();
    }
    for (const outcome of await Promise.all(refused)) expect(outcome).toBeInstanceOf(IntakeUnavailable);
    await inspecting.client('UNPAUSE');
    // Redis answers the commands of a connection in their order, so that this request is enqueued after the others.
    await waitFor(() => accept('after').then(() => true));
    const jobs = await queue.getJobs(['waiting', 'prioritized']);
    const merchants = jobs.map(({ data }) => data.merchantId);
    expect(merchants.toSorted()).toEqual(['after', 'before']);
  });
});
