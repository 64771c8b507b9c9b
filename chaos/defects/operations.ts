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
  {
    name: 'limit-of-repeated-lines',
    guard: 'Lines that an outage repeats are left out',
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
];
