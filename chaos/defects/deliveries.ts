import type { Defect } from './defect.ts';

const numbering = 'packages/database/src/events/number-events.ts';

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
];
