import { connectDatabase } from '@rewardhook/database';
import { connectStage } from '@rewardhook/pipeline';
import type { ProcessContext, WorkerSettings } from '@rewardhook/process';
import { storeOrders } from './store-orders.ts';

/** Starts the stage `sync`. */
export async function startSync(settings: WorkerSettings, context: ProcessContext): Promise<void> {
  const database = connectDatabase(settings, context);
  const queues = connectStage('sync', settings, context);
  const evaluation = queues.openProducer('reward-evaluation');
  queues.startWorker(storeOrders({ database, evaluation, log: context.log }));
}
