import { connectSql, findInstallationId, isDatabaseOutage } from '@rewardhook/database/stages';
import { connectStage } from '@rewardhook/pipeline';
import { measureLatency } from '@rewardhook/process';
import type { ProcessContext, WorkerSettings } from '@rewardhook/process';
import { storeOrders } from './store-orders.ts';

/** Jobs at a time. Each has up to 2 MiB of orders, so this bounds the memory of the process. */
const concurrency = 8;

/** Starts the stage `sync`. */
export async function startSync(settings: WorkerSettings, context: ProcessContext): Promise<void> {
  const database = connectSql(settings, context);
  const queues = connectStage('sync', settings, context, () => findInstallationId(database));
  const evaluation = queues.openProducer('reward-evaluation');
  const stored = context.metrics.counter(
    'orders_stored_total',
    'Orders of requests that were stored; sum over replicas',
  );
  const dropped = context.metrics.counter(
    'orders_dropped_total',
    'Orders that were dropped because the stored state has a later updated_at; sum over replicas',
  );
  const latency = measureLatency(context.metrics);
  const store = storeOrders({
    database,
    evaluation,
    onDropped: (orders) => dropped.inc(orders),
    tracing: context.tracing,
    log: context.log,
  });
  queues.startWorker(
    async (job) => {
      const result = await store(job);
      stored.inc(result.orders);
      return result;
    },
    {
      concurrency,
      isOutage: isDatabaseOutage,
      onCompleted: (ageSeconds) => latency.observe({ stage: 'stored' }, ageSeconds),
    },
  );
}
