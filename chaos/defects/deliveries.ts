import type { Defect } from './defect.ts';

const claims = 'packages/database/src/deliveries/claim-deliveries.ts';
const records = 'packages/database/src/deliveries/record-attempts.ts';
const transitions = 'packages/database/src/endpoints/endpoint-transitions.ts';
const numbering = 'packages/database/src/events/number-events.ts';

/** The claim of due deliveries, from where it differs from the claim of manual retries. */
const claimDue = `          AND d.state = 'pending' AND d.next_attempt_at <= now() AND (d.leased_until IS NULL OR d.leased_until <= now())
        ORDER BY d.next_attempt_at
        LIMIT claim.most
        FOR UPDATE SKIP LOCKED
      ) d
    )
    UPDATE deliveries d
    SET leased_until = CASE WHEN e.expires_at <= now() THEN NULL ELSE now() + make_interval(secs => $4) END,
      next_attempt_at = CASE WHEN e.expires_at <= now() THEN NULL ELSE d.next_attempt_at END,
      state = CASE WHEN e.expires_at <= now() THEN 'cancelled' ELSE d.state END,`;

/** Guards between an event and the answer of its receiver. */
export const deliveryDefects: readonly Defect[] = [
  {
    name: 'numbering-by-one-reader',
    guard: 'Events get their positions in the feed from one reader at a time',
    edits: [
      { file: numbering, find: 'await run(tx, lockFeedSql, [merchantId]);', replace: 'void lockFeedSql;' },
    ],
    caughtBy: { scenario: 'feed', check: 'feed-readers' },
  },
  {
    name: 'revocation-after-its-issue',
    guard: 'A revocation gets its position in the feed only after its issue, also while that one is locked',
    edits: [
      {
        file: numbering,
        find: 'WHERE earlier.position IS NULL AND earlier.sequence < oldest.sequence',
        replace: 'WHERE false AND earlier.sequence < oldest.sequence',
      },
    ],
    caughtBy: { scenario: 'feed', check: 'feed-readers' },
  },
  {
    name: 'signature-of-the-bytes',
    guard: 'The signature covers the bytes that are sent',
    edits: [
      {
        file: 'packages/webhook/src/send-delivery.ts',
        find: 'deliveryHeaders({ ...delivery, body, timestampSeconds })',
        replace:
          'deliveryHeaders({ ...delivery, body: Buffer.from(JSON.stringify(JSON.parse(text), null, 1)), timestampSeconds })',
      },
    ],
    caughtBy: { scenario: 'races', check: 'signatures' },
  },
  {
    name: 'delivery-id-of-retries',
    guard: 'A delivery has the same id in each attempt',
    edits: [
      {
        file: 'apps/webhook-delivery/src/dispatch-endpoint.ts',
        find: 'deliveryId: delivery.id,',
        replace: 'deliveryId: delivery.id.slice(0, -1) + String(delivery.attemptsMade % 10),',
      },
    ],
    caughtBy: { scenario: 'receivers', check: 'one-id-and-body' },
  },
  {
    name: 'delivered-after-the-answer',
    guard: 'A delivery counts as delivered only after its receiver has answered with 2xx',
    edits: [
      { file: claims, find: claimDue, replace: claimDue.replace('ELSE d.state END', "ELSE 'delivered' END") },
    ],
    caughtBy: { scenario: 'receivers', check: 'delivered' },
  },
  {
    name: 'breaker-keeps-what-waits',
    guard: 'What waits for an open breaker is sent when it closes',
    edits: [
      {
        file: transitions,
        find: '    for (const notice of notices) {\n',
        replace: `    if (update.health.breakerOpenedAt)
      await tx.query(
        "UPDATE deliveries SET state = 'cancelled' WHERE merchant_id = $1 AND endpoint_id = $2 AND state = 'pending'",
        [merchantId, update.endpointId],
      );
    for (const notice of notices) {
`,
      },
    ],
    caughtBy: { scenario: 'receivers', check: 'delivered' },
  },
  {
    name: 'one-notice-a-day',
    guard: 'A merchant is notified once a day of a webhook that fails, recovers and fails again',
    edits: [
      {
        file: transitions,
        find: 'if (await alreadyNotified(tx, merchantId, notice)) continue;',
        replace: 'void alreadyNotified;',
      },
    ],
    caughtBy: { scenario: 'receivers', check: 'one-notice-a-day' },
  },
  {
    name: 'sweeper-of-deliveries',
    guard: 'Deliveries that are due and have no job get one, retries among them',
    edits: [
      {
        file: 'apps/webhook-delivery/src/sweepers.ts',
        find: 'due.filter(({ endpointId }) => !isActive(endpointId))',
        replace: 'due.filter(({ endpointId }) => !isActive(endpointId) && false)',
      },
    ],
    caughtBy: { scenario: 'receivers', check: 'delivered' },
  },
  {
    name: 'lease-of-a-delivery',
    guard: 'A delivery that is being sent is not claimed again',
    edits: [
      {
        file: claims,
        find: '      leaseSeconds,\n      claims.map(({ url }) => url),',
        replace: '      leaseSeconds * 0,\n      claims.map(({ url }) => url),',
      },
    ],
    caughtBy: { scenario: 'slow-receivers', check: 'sent-once' },
  },
  {
    name: 'renewal-of-the-lock',
    guard: 'A worker renews the lock of its job, so that no other worker takes the same webhook',
    edits: [
      {
        file: 'packages/pipeline/src/worker.ts',
        find: '      lockDuration: lockDurationMs,\n',
        replace: '      lockDuration: lockDurationMs,\n      skipLockRenewal: true,\n',
      },
    ],
    caughtBy: { scenario: 'slow-receivers', check: 'in-flight-limit' },
  },
  {
    name: 'fence-of-late-results',
    guard:
      'The failure of an attempt whose lease has expired does not change a delivery that another worker has claimed since',
    edits: [
      'THEN d.schedule_step + attempt',
      'THEN attempt.state ELSE',
      'THEN now() + make_interval',
      'THEN NULL ELSE d.leased_until',
    ].map((then) => ({
      file: records,
      find: `d.state = 'pending' AND d.leased_until = attempt.lease_expires_at\n          ${then}`,
      replace: `d.state = 'pending'\n          ${then}`,
    })),
    caughtBy: {
      test: 'packages/database/src/deliveries/deliveries.integration.test.ts',
      title: 'leaves the delivery to the worker that claimed it since',
      because:
        'a lease expires only while its worker is frozen or dead, and for 35 s after such a fault a delivery may be repeated, which is all ' +
        'that the fence prevents',
    },
  },
];
