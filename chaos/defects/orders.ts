import type { Defect } from './defect.ts';

/** Guards between a request and its stored orders. */
export const orderDefects: readonly Defect[] = [
  {
    name: 'version-guard',
    guard: 'An older state of an order does not replace a newer one, in whichever order their jobs run',
    edits: [
      {
        file: 'prisma/sql/functions/store_orders.sql',
        find: 'WHERE (stored.sent_at, stored.version) < (excluded.sent_at, excluded.version)',
        replace: 'WHERE true',
      },
    ],
    caughtBy: { scenario: 'latest-sent', check: 'latest-state' },
  },
  {
    name: 'requests-given-up',
    guard: 'A request whose client has closed its connection is not accepted',
    edits: [
      {
        file: 'apps/api/src/orders/sync-orders.ts',
        find: 'return socket.destroyed || socket.readableEnded;',
        replace: 'return socket.destroyed && false;',
      },
    ],
    caughtBy: { scenario: 'stored-later', check: 'latest-state' },
  },
  {
    name: 'versions-by-redis',
    guard: 'The version of a request is from Redis, not from the clock of the API that accepts it',
    edits: [
      {
        file: 'packages/pipeline/src/intake.ts',
        find: '      versions.next(),\n',
        // Different in each request, as the version has to be: only the clock is wrong.
        replace:
          '      Promise.resolve(Date.now() * 1_000 + Number((process.hrtime.bigint() / 1_000n) % 1_000n)),\n',
      },
    ],
    caughtBy: { scenario: 'latest-sent', check: 'latest-state' },
  },
  {
    name: 'states-in-one-request',
    guard:
      'Of two states of an order in one request the later one counts, whatever the clock of the API says',
    edits: [
      {
        file: 'packages/contract/src/orders/updated-at.ts',
        find: 'return inUtc(updatedAt) >= (earlier === null ? instantOf(new Date(acceptedAt)) : inUtc(earlier));',
        replace: `const accepted = instantOf(new Date(acceptedAt));
  const upTo = (time: string | null) => (time === null || inUtc(time) > accepted ? accepted : inUtc(time));
  return upTo(updatedAt) >= upTo(earlier);`,
      },
    ],
    caughtBy: { scenario: 'latest-sent', check: 'latest-state' },
  },
  {
    name: 'stored-before-202',
    guard: 'A request is answered 202 only when Redis has stored it',
    edits: [
      {
        file: 'apps/api/src/orders/sync-orders.ts',
        find: 'await options.intake.accept(merchantId, orders, trace, { waitingKib });',
        replace: `options.intake.check();
        void options.intake.accept(merchantId, orders, trace, { waitingKib }).catch(() => undefined);`,
      },
    ],
    caughtBy: { scenario: 'outage', check: 'orders-stored' },
  },
  {
    name: 'byte-budget',
    guard: 'The bodies in flight have a common limit of bytes, so that memory is bounded',
    edits: [
      {
        file: 'apps/api/src/http/gate.ts',
        find: '      if (reserved + bytes > byteLimits.process) throw bytesExceeded();\n',
        replace: '      if (reserved + bytes < 0) throw bytesExceeded();\n',
      },
    ],
    caughtBy: {
      test: 'apps/api/src/bodies.integration.test.ts',
      title: 'When the process has all the bytes that it may have',
      because: 'no promise to a shop is broken before the process has no memory left',
    },
  },
];
