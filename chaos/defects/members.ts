import type { Defect } from './defect.ts';

const dueBatches = 'packages/database/src/evaluation/due-batches.ts';
const erasure = 'packages/database/src/members/erasure.ts';

/** Guards between links, merges, erasures and the evaluation of orders. */
export const memberDefects: readonly Defect[] = [
  {
    name: 'lock-on-the-referral',
    guard: 'Evaluations of a referee, and what changes their referral, wait for one another',
    edits: [
      {
        file: 'packages/database/src/evaluation/referral-states.ts',
        find: 'ORDER BY id OFFSET 0 FOR UPDATE) r',
        replace: 'ORDER BY id OFFSET 0) r',
      },
    ],
    caughtBy: { scenario: 'races', check: 'rewards-follow-links' },
  },
  {
    name: 'second-pass-after-a-link',
    guard: 'A link enqueues again the orders whose transactions were running when it was made',
    edits: [
      {
        file: dueBatches,
        find: `WHERE r.merchant_id = $1 AND r.id = $2
    ), updated AS (
      UPDATE referrals r SET
        orders_enqueued_at = CASE WHEN running.oldest_xid >= selected.after_xid THEN now() ELSE r.orders_enqueued_at END,`,
        replace: `WHERE r.merchant_id = $1 AND r.id = $2
    ), updated AS (
      UPDATE referrals r SET
        orders_enqueued_at = now(),`,
      },
    ],
    caughtBy: { scenario: 'races', check: 'every-order-evaluated' },
  },
  {
    name: 'id-of-the-first-pass',
    guard:
      'The second pass waits for every transaction that was running at the first one, whichever began or ended last',
    edits: [
      {
        file: dueBatches,
        find: `ELSE pg_current_xact_id() END AS after_xid
      FROM referrals r, running
      WHERE r.merchant_id = $1`,
        replace: `ELSE snapshot_xmax END AS after_xid
      FROM referrals r, running
      WHERE r.merchant_id = $1`,
      },
    ],
    caughtBy: {
      test: 'packages/database/src/members/members.integration.test.ts',
      title: 'is enqueued by a later pass, after a link',
      because:
        'the order must begin between the start and the end of the link, and no transaction that began later may end before the ' +
        'first pass, which other processes of a running service prevent in nearly all cases',
    },
  },
  {
    name: 'second-pass-after-a-merge',
    guard: 'A merge moves the orders whose transactions were running when it was made',
    edits: [
      {
        file: dueBatches,
        find: 'orders_moved_at = CASE WHEN running.oldest_xid >= selected.after_xid THEN now() ELSE a.orders_moved_at END',
        replace: 'orders_moved_at = now()',
      },
    ],
    caughtBy: { scenario: 'races', check: 'latest-state' },
  },
  {
    name: 'aliases-when-storing',
    guard: 'An order with a former id is stored under the surviving member',
    edits: [
      {
        file: 'prisma/sql/functions/store_orders.sql',
        find: 'members := rules.resolve_aliases(merchants, orders, members);',
        replace: 'NULL;',
      },
    ],
    caughtBy: { scenario: 'races', check: 'latest-state' },
  },
  {
    name: 'orders-of-a-moved-link',
    guard: 'A moved link enqueues the orders of the referee',
    edits: [
      {
        file: 'packages/database/src/members/move-link.ts',
        find: 'enqueueOrders(tx, merchantId, { allOrdersOf: [refereeMemberId] })',
        replace: 'enqueueOrders(tx, merchantId, {})',
      },
    ],
    caughtBy: { scenario: 'races', check: 'rewards-follow-links' },
  },
  {
    name: 'merge-while-orders-are-due',
    guard: 'A merge is refused while orders of either member are due for evaluation',
    edits: [
      {
        file: 'packages/database/src/members/merge-members.ts',
        find: 'await refuseWhileOrdersAreDue(tx, pair, referralIds);',
        replace: 'await refuseWhileOrdersAreDue(tx, pair, referralIds).catch(() => undefined);',
      },
    ],
    caughtBy: { scenario: 'races', check: 'rewards-follow-links' },
  },
  {
    name: 'clock-after-the-locks',
    guard: 'The times of what a transaction writes are read after it has waited for its locks',
    edits: [
      {
        file: 'packages/database/src/client/timestamps.ts',
        find: 'SELECT to_json(clock_timestamp() AT TIME ZONE',
        replace: 'SELECT to_json(now() AT TIME ZONE',
      },
    ],
    caughtBy: { scenario: 'races', check: 'no-event-before-its-cause' },
  },
  {
    name: 'sweeper-of-due-orders',
    guard: 'Orders whose evaluation has no job get another one',
    edits: [
      {
        file: 'apps/reward-evaluation/src/start.ts',
        find: 'sweepDueOrders(database, evaluation, sweepAfterSeconds)',
        replace: 'sweepDueOrders(database, evaluation, sweepAfterSeconds + 1e8)',
      },
    ],
    caughtBy: { scenario: 'races', check: 'work-done' },
  },
  {
    name: 'erasure-while-an-evaluation-is-due',
    guard: 'An erasure is refused while orders of the member are due for evaluation',
    edits: [
      {
        file: erasure,
        find: 'await refuseWhileEvaluationIsDue(tx, erased, referralIds);',
        replace: 'await refuseWhileEvaluationIsDue(tx, erased, referralIds).catch(() => undefined);',
      },
    ],
    caughtBy: { scenario: 'erasure', check: 'every-order-evaluated' },
  },
  {
    name: 'decisions-in-an-erasure',
    guard: 'An erasure replaces the id in decisions too, so that the order keeps its decision',
    edits: [
      {
        file: erasure,
        find: "const decisions = await inAll((erased) => replaceMemberId(tx, 'decisions', erased));",
        replace: 'const decisions = 0;',
      },
    ],
    caughtBy: { scenario: 'erasure', check: 'every-order-evaluated' },
  },
  {
    name: 'salt-in-an-erasure',
    guard:
      'An erasure replaces the salt of referral ids, so that the next member with the id gets another referral',
    edits: [
      { file: erasure, find: 'await replaceSalt(tx, merchantId);', replace: "await replaceSalt(tx, '');" },
    ],
    caughtBy: { scenario: 'erasure', check: 'erased-ids-usable' },
  },
  {
    name: 'lock-of-aliases',
    guard:
      'An order that is being stored under a former id, and the erasure of its member, wait for one another',
    edits: [
      {
        file: erasure,
        find: 'alias_id = ANY($2) ORDER BY alias_id FOR UPDATE',
        replace: 'alias_id = ANY($2) ORDER BY alias_id',
      },
    ],
    caughtBy: {
      test: 'packages/database/src/members/members.integration.test.ts',
      title: 'an order with the former id is one of a new member',
      because:
        'member erase refuses while a job with an order of the member waits or runs, so the order would have to be accepted ' +
        'between this look and the erasure',
    },
  },
  {
    name: 'priority-of-waiting-merchants',
    guard: 'An order of a merchant with nothing waiting goes ahead of what others have waiting',
    edits: [
      {
        file: 'packages/pipeline/src/intake.ts',
        find: '{ jobId: `v${version}`, priority }',
        replace: '{ jobId: `v${version}` }',
      },
    ],
    caughtBy: { scenario: 'tenants', check: 'small-shop-not-delayed' },
  },
];
