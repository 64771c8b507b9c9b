import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { startRedis } from '@rewardhook/testing/servers';
import { waitFor } from '@rewardhook/testing';
import type { Server } from '@rewardhook/testing/servers';
import { testLog } from './fixtures/test-log.ts';
import { IntakeUnavailable, openIntake } from './intake.ts';
import type { Intake } from './intake.ts';
import { openQueue } from './queues.ts';
import { connectProducer, connectWorker, disconnect } from './redis.ts';
import type { Redis } from './redis.ts';
import { callsInFlight } from './versions.ts';

const prefix = '{intake}';

describe('The intake', () => {
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
