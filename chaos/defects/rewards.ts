import type { Defect } from './defect.ts';

/** Guards between the stored orders and their rewards. */
export const rewardDefects: readonly Defect[] = [
  {
    name: 'caps-lock',
    guard: 'What counts against the cap of a referrer is read under a lock',
    edits: [
      {
        file: 'packages/database/src/evaluation/program-usage.ts',
        find: 'ORDER BY member_id OFFSET 0 FOR NO KEY UPDATE) m',
        replace: 'ORDER BY member_id OFFSET 0) m',
      },
    ],
    caughtBy: { scenario: 'limits', check: 'limits-held' },
  },
  {
    name: 'budget-lock',
    guard: 'The sum of the live rewards is read under a lock',
    edits: [
      {
        file: 'packages/database/src/evaluation/program-usage.ts',
        find: 'SELECT spent FROM programs WHERE merchant_id = $1 FOR UPDATE',
        replace: 'SELECT spent FROM programs WHERE merchant_id = $1',
      },
    ],
    caughtBy: { scenario: 'limits', check: 'limits-held' },
  },
  {
    name: 'budget-given-back',
    guard: 'A reward that is withdrawn no longer counts against the budget',
    edits: [
      {
        file: 'packages/database/src/evaluation/write-rows.ts',
        find: 'sumOf(given) + sumOf(amended) - sumOf(withdrawn)',
        replace: 'sumOf(given) + sumOf(amended)',
      },
    ],
    caughtBy: { scenario: 'limits', check: 'limits-full' },
  },
  {
    name: 'months-of-the-shop',
    guard: 'The month of a payment is that of the time zone of the shop',
    edits: [
      {
        file: 'prisma/sql/functions/known_zone.sql',
        find: 'PERFORM now() AT TIME ZONE name;\n  RETURN name;',
        replace: "PERFORM now() AT TIME ZONE name;\n  RETURN 'UTC';",
      },
    ],
    caughtBy: { scenario: 'rules', check: 'limits-full' },
  },
  {
    name: 'refunds',
    guard: 'The amount of a reward follows its order',
    edits: [
      {
        file: 'packages/rewards/src/evaluate-order.ts',
        find: 'let amount = due;',
        replace: 'let { amount } = from;',
      },
    ],
    caughtBy: { scenario: 'rules', check: 'reward-due' },
  },
  {
    name: 'cancelled-products',
    guard: 'An earlier order of which each product is cancelled does not count as the first one',
    edits: [
      {
        file: 'packages/database/src/evaluation/order-states.ts',
        find: 'rules.counts_as_paid(paid_at, counts_as_paid_at, cancelled_at, returned_at, items)',
        replace: "rules.counts_as_paid(paid_at, counts_as_paid_at, cancelled_at, returned_at, '[]'::jsonb)",
      },
    ],
    caughtBy: { scenario: 'rules', check: 'reward-due' },
  },
  {
    name: 'earliest-first-order',
    guard: 'An order that counts as the first takes the reward from a later one that was stored before',
    edits: [
      {
        file: 'packages/database/src/evaluation/decide.ts',
        find: 'earlierFirstOrder: contenders.before(one),',
        replace: 'earlierFirstOrder: null,',
      },
    ],
    caughtBy: { scenario: 'rules', check: 'reward-due' },
  },
  {
    name: 'revoked-by-person',
    guard: 'No rule gives again what a person has revoked',
    edits: [
      {
        file: 'packages/rewards/src/draft-rewards.ts',
        find: "earlier.find(({ correction }) => correction === 'revoked')",
        replace: "earlier.find(({ correction, id }) => correction === 'revoked' && id === '')",
      },
    ],
    caughtBy: { scenario: 'rules', check: 'reward-due' },
  },
  {
    name: 'sweeper-of-holds',
    guard: 'A reward is confirmed when its hold ends, without a request',
    edits: [
      {
        file: 'apps/reward-evaluation/src/sweepers.ts',
        find: 'await evaluation.enqueue(await enqueueEndedHolds(database));',
        replace: 'void enqueueEndedHolds;',
      },
    ],
    caughtBy: { scenario: 'rules', check: 'reward-due' },
  },
  {
    name: 'sweeper-of-payments',
    guard: 'An order whose payment was in the future is evaluated again when the time comes',
    edits: [
      {
        file: 'apps/reward-evaluation/src/sweepers.ts',
        find: 'await evaluation.enqueue(await enqueuePaymentsReached(database));',
        replace: 'void enqueuePaymentsReached;',
      },
    ],
    caughtBy: { scenario: 'rules', check: 'reward-due' },
  },
  {
    name: 'lock-of-keys',
    guard: 'Of two corrections with one key at the same time the second one finds what the first one did',
    edits: [
      {
        file: 'packages/database/src/rewards/correct-reward.ts',
        find: 'await lockKey(tx, merchantId, key);',
        replace: 'void lockKey;',
      },
    ],
    caughtBy: { scenario: 'by-hand', check: 'corrected-once' },
  },
  {
    name: 'pause-of-webhooks',
    guard: "An operator's pause of a shop is copied to its webhooks, where everything that sends reads it",
    edits: [
      {
        file: 'packages/database/src/merchants/pause-merchant.ts',
        find: 'await tx.execute(copySql, [sides.map(({ id }) => id), merchantId]);',
        replace: 'void copySql;',
      },
    ],
    caughtBy: { scenario: 'programs', check: 'nothing-sent-while-paused' },
  },
  {
    name: 'sessions-in-utc',
    guard: 'Every session of the database is in UTC: Prisma reads the times of rows as such',
    edits: [
      {
        file: 'packages/database/src/client/session.ts',
        find: "TimeZone: 'UTC',",
        replace: "TimeZone: 'Asia/Seoul',",
      },
    ],
    caughtBy: { scenario: 'programs', check: 'times-shown' },
  },
  {
    name: 'webhooks-heard-again',
    guard:
      'Whether every webhook will hear of a revocation is read again when a confirmed amount has been changed',
    edits: [
      {
        file: 'packages/database/src/evaluation/write-rows.ts',
        find: 'if (endpoints.size > 0) throw',
        replace: 'if (endpoints.size < 0) throw',
      },
    ],
    caughtBy: {
      test: 'tests/rewards/amounts.integration.test.ts',
      title: 'stands when a webhook stops hearing of revocations while the order is evaluated',
      because: 'the events of a webhook are changed in the console only, which no scenario uses',
    },
  },
  {
    name: 'marks-of-promises',
    guard: 'The deliveries of a reward are marked as promised, so that what is not delivered is counted',
    edits: [
      {
        file: 'packages/database/src/events/insert-events.ts',
        find: '        e.reward_id IS NOT NULL\n',
        replace: '        false\n',
      },
    ],
    caughtBy: {
      test: 'tests/delivery/receivers.integration.test.ts',
      title: 'is open while its webhook fails, and a failed test event is none',
      because:
        'promises are for the operator, and counted each 15 s, so a scenario would wait for longer than it may take',
    },
  },
];
