import { randomBytes } from 'node:crypto';
import { waitFor } from '@rewardhook/testing';
import { testLog } from './fixtures/test-log.ts';
import { compressOrders } from './compressed-orders.ts';
import { writeOrdersPayload } from './job-payload.ts';
import { openTextQueue } from './queues.ts';
import { connectWorker, disconnect } from './redis.ts';
import { startWorker } from './worker.ts';

const repeated = randomBytes(600);

describe('The text of a job', () => {
  it.each([
    ['', [0xff, 0xfe, 0x80]],
    ['is compressed and ', Buffer.concat(Array.from({ length: 100 }, () => repeated))],
  ])(
    '%sreaches the handler byte for byte, when it is taken, after another job and after a failure',
    async (_how, note) => {
      const redis = connectWorker(process.env['TEST_REDIS_URL'] as string, testLog);
      const prefix = `{text-${process.pid}}`;
      const queue = openTextQueue(redis, prefix);
      // Not valid UTF-8: it would not survive a conversion to a string.
      const pieces = [Buffer.from('[{"note":"'), Buffer.from(note), Buffer.from('"}]')];
      for (const version of [1, 2, 3])
        await queue.add(
          'sync',
          writeOrdersPayload(
            { merchantId: 'mer_1', version, count: 1 },
            compressOrders({ orders: 1, pieces }),
          ),
        );
      const taken: { version: number; bytes: string }[] = [];
      const failing = new Set([2]);
      const worker = startWorker({
        stage: 'sync',
        redis,
        prefix,
        concurrency: 1,
        async handle({ version, json }) {
          taken.push({ version, bytes: json.toString('hex') });
          if (failing.delete(version)) throw new Error('fails once');
        },
        isOutage: () => true,
        log: testLog,
        observe: () => undefined,
        onStuck: () => undefined,
      });
      await waitFor(() => taken.length === 4, { deadlineMs: 20_000 });
      await worker.close();
      await queue.obliterate({ force: true });
      await queue.close();
      await disconnect(redis);
      expect(taken.map(({ version }) => version).toSorted((one, other) => one - other)).toEqual([1, 2, 2, 3]);
      expect(new Set(taken.map(({ bytes }) => bytes))).toEqual(
        new Set([Buffer.concat(pieces).toString('hex')]),
      );
    },
  );
});
