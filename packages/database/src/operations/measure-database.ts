import { cacheFor } from '@rewardhook/process';
import type { Metrics } from '@rewardhook/process';
import { poolUse } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { countOpenProblems } from '../problems/problems.ts';
import { readPromiseSums } from './promises.ts';
import type { PromiseSum } from './promises.ts';
import { readWaitingWork } from './waiting-work.ts';
import type { WaitingWork } from './waiting-work.ts';

/** Every replica reads the same backlog: it is read again after this time, in milliseconds. */
const sharedForMs = 5_000;

/** Opens the metrics of the connection pool of this process, and of the work that waits in the database. */
export function measureDatabase(database: Sql, metrics: Metrics): void {
  metrics.gauge(
    'database_pool_size',
    'Maximum number of connections of this process; sum over replicas',
    () => poolUse(database).max,
  );
  metrics.gauges(
    'database_pool_connections',
    'Open connections of this process by state; sum over replicas',
    ['state'],
    () => {
      const { idle, used } = poolUse(database);
      return [
        { labels: { state: 'idle' }, value: idle },
        { labels: { state: 'used' }, value: used },
      ];
    },
  );
  metrics.gauge(
    'database_pool_waiting',
    'Statements of this process that wait for a connection; sum over replicas',
    () => poolUse(database).waiting,
  );

  const read = cacheFor(sharedForMs, () => readWaitingWork(database));
  const shared = (name: string, help: string, valueOf: (work: WaitingWork) => number) =>
    metrics.gauge(name, `${help}; max over replicas`, async () => valueOf(await read()));
  shared('evaluation_orders_due', 'Orders that are due for evaluation', ({ ordersDue }) => ordersDue);
  shared(
    'evaluation_oldest_due_age_seconds',
    'Age of the batch that has been due for evaluation longest; 0 when there is none',
    ({ ordersDueSeconds }) => ordersDueSeconds,
  );
  shared('orders_parked', 'Orders whose evaluation is parked', ({ ordersParked }) => ordersParked);
  shared(
    'deliveries_due',
    'Deliveries that are due and whose endpoint can be sent to, at most 1,000 of each endpoint',
    ({ deliveriesDue }) => deliveriesDue,
  );
  shared(
    'deliveries_oldest_due_age_seconds',
    'Age of the delivery that has been due longest; 0 when there is none',
    ({ deliveriesDueSeconds }) => deliveriesDueSeconds,
  );
  shared(
    'endpoints_overdue',
    'Endpoints with a delivery that has been due for over a minute',
    ({ endpointsOverdue }) => endpointsOverdue,
  );
  shared(
    'endpoints_parked',
    'Endpoints to which sending failed repeatedly because of their content',
    ({ endpointsParked }) => endpointsParked,
  );

  const readPromises = cacheFor(sharedForMs, () => readPromiseSums(database));
  const ofPromises = (name: string, help: string, valueOf: (sum: PromiseSum) => number) =>
    metrics.gauges(name, `${help}; max over replicas`, ['kind', 'holder'], async () =>
      (await readPromises()).sums.map(({ kind, holder, ...sum }) => ({
        labels: { kind, holder },
        value: valueOf({ kind, holder, ...sum }),
      })),
    );
  ofPromises(
    'promises_open',
    'Orders that are not evaluated and rewards that are not delivered, by what holds them; at most 10,001 of each merchant',
    ({ number }) => number,
  );
  ofPromises(
    'promises_oldest_age_seconds',
    'Age of the oldest of them; 0 when there is none',
    ({ oldestSeconds }) => oldestSeconds,
  );
  const countProblems = cacheFor(sharedForMs, () => countOpenProblems(database));
  metrics.gauges(
    'problems_open',
    'Open problems that are not acknowledged; max over replicas',
    ['kind'],
    async () => Object.entries(await countProblems()).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  metrics.gauge(
    'promises_counted_age_seconds',
    'Time since they were counted; max over replicas',
    async () => (await readPromises()).countedSeconds,
  );
}
