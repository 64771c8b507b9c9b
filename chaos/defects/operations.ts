import type { Defect } from './defect.ts';

/** Guards that operators rely on: reports, bounded logs, the right database, versions after a restore, bounded reads. */
export const operationDefects: readonly Defect[] = [
  {
    name: 'age-of-heartbeats',
    guard: 'A process that has not written a heartbeat for 20 s does not count as running',
    edits: [
      {
        file: 'packages/pipeline/src/heartbeats.ts',
        find: 'export const lateAfterSeconds = 20;',
        replace: 'export const lateAfterSeconds = 2_000;',
      },
    ],
    caughtBy: { scenario: 'reported-faults', check: 'reported-in-time' },
  },
  {
    name: 'limit-of-repeated-lines',
    guard: 'Log lines that an outage repeats are suppressed',
    edits: [
      {
        file: 'packages/process/src/limit-repeats.ts',
        find: 'if (exhausted || (last !== undefined && now - last < limits.windowMs)) {',
        replace:
          'if (limits.windowMs < 0 && (exhausted || (last !== undefined && now - last < limits.windowMs))) {',
      },
    ],
    caughtBy: { scenario: 'outage', check: 'log-lines-bounded' },
  },
  {
    name: 'queues-of-another-database',
    guard: 'A process does not use queues in Redis that belong to another database',
    edits: [
      {
        file: 'packages/pipeline/src/installation.ts',
        find: 'if (known !== id) {',
        replace: "if (known !== id && known === '') {",
      },
    ],
    caughtBy: {
      test: 'tests/installation.e2e.test.ts',
      title: 'takes none of 300 orders, and ends with a message that names both installations',
      because: 'a run has one database, and the checks would have to know what a second service stores in it',
    },
  },
  {
    name: 'ceiling-of-versions',
    guard:
      'Orders are stored below a ceiling of versions, above which versions continue when Redis has lost the last one',
    edits: [
      {
        file: 'prisma/sql/functions/store_orders_below_ceiling.sql',
        find: 'IF EXISTS (SELECT 1 FROM version_ceiling WHERE version >= highest) THEN',
        replace: 'IF true THEN',
      },
    ],
    caughtBy: {
      test: 'tests/restore/restore.e2e.test.ts',
      title: 'let a cancellation through after the clock of Redis was an hour ahead and Redis was emptied',
      because: 'while the clock of Redis is right, versions after an emptied Redis are higher anyway',
    },
  },
  {
    name: 'bounded-reads',
    guard: 'What an evaluation reads does not grow with the number of orders of the member',
    edits: [
      {
        file: 'packages/database/src/evaluation/order-states.ts',
        find: 'ORDER BY member_id, order_date FETCH FIRST ROW WITH TIES) paid`,',
        replace: 'ORDER BY member_id, order_date) paid`,',
      },
    ],
    caughtBy: {
      test: 'apps/reward-evaluation/src/bounded-reads.e2e.test.ts',
      title: 'reads as many rows when its member has 1,000 orders as when there are a few',
      because:
        'nothing becomes wrong, only slower, and a run with a limit of time would fail on slow machines',
    },
  },
];
