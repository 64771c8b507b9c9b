import type { Defect } from './defect.ts';

/** Guards of what operators are shown. */
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
];
