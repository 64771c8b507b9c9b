import { compressOrders, connectProducer, disconnect, openIntake } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { openCleanup, openQueueCounts, startTcpProxy, testLog } from '../harness/index.ts';

describe('The jobs of a request', () => {
  const url = String(process.env['TEST_REDIS_URL']);
  const prefix = `{test-parts-${process.pid}}`;
  const cleanup = openCleanup();
  afterAll(() => cleanup.run());

  it('A request is enqueued with all its jobs or none, wherever the connection to Redis ends', async () => {
    const proxy = await startTcpProxy(url);
    cleanup.add(() => proxy.close());
    const redis = connectProducer(proxy.url, testLog);
    cleanup.add(() => disconnect(redis));
    const intake = openIntake(redis, { prefix, log: testLog, findFreeVersion: async () => 1 });
    cleanup.add(() => intake.close());
    const queues = openQueueCounts(url, prefix);
    cleanup.add(() => queues.close());
    const parts = Array.from({ length: 4 }, (_, index) =>
      compressOrders({
        orders: 1,
        pieces: [Buffer.from(JSON.stringify([buildOrder({ order_id: `o-${index}` })]))],
      }),
    );
    const accept = () =>
      intake.accept('mer_parts', parts).then(
        () => 4,
        () => undefined,
      );
    const canAccept = () => {
      try {
        intake.check();
        return true;
      } catch {
        return false;
      }
    };
    // The scripts are loaded, and the queue is known.
    await waitFor(async () => (await accept()) === 4, { everyMs: 20 });

    const outcomes = new Set<number>();
    for (const bytes of [1, 400, 800, 1_200, 1_600, 2_000, 3_000, 4_000, 5_000, 6_000, 1_000_000]) {
      await waitFor(canAccept, { everyMs: 10 });
      const before = await queues.pending('sync');
      proxy.cutAfter(bytes);
      const accepted = await accept();
      proxy.set('cut');
      const added = (await queues.pending('sync')) - before;
      expect([0, 4]).toContain(added);
      if (accepted !== undefined) expect(added).toBe(accepted);
      outcomes.add(added);
      proxy.set('open');
    }
    await waitFor(canAccept, { everyMs: 10 });
    expect(outcomes).toEqual(new Set([0, 4]));
  });
});
