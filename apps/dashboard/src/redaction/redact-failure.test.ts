import { redactFailure, redactStack } from './redact-failure.ts';

const rest = " (the message is in the worker's log)";

describe('Redacted failures', () => {
  it.each([
    ['connect ECONNREFUSED 10.0.0.1:5432', 'Error: connect', `Error ECONNREFUSED${rest}`],
    ['member EVE-1 is no member', 'TypeError: member', `TypeError${rest}`],
    ['Failed. Code: `40P01`. Message: `deadlock`', 'PrismaError: x', `PrismaError 40P01${rest}`],
    ['order 12345 is odd', '', `Error${rest}`],
    ['Kim: paid 1000', 'Kim: paid 1000', `Error${rest}`],
    ['job stalled more than allowable limit', '', 'job stalled more than allowable limit'],
  ])('A redacted failure keeps the class and the code of "%s"', (message, stack, shown) => {
    expect(redactFailure(message, stack)).toBe(shown);
  });

  it('A redacted stack keeps the positions in the code and not the names of functions', () => {
    const stack = [
      'RangeError: member-1 at apps/kim',
      '    at Kim Lee',
      '    at async store (file:///srv/rewardhook/apps/sync/dist/store-orders.js:12:34)',
      '    at /srv/rewardhook/node_modules/@prisma/client/runtime.js:1:2',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    ].join('\n');
    expect(redactStack(stack).split('\n')).toEqual([
      `RangeError${rest}`,
      '    at apps/sync/dist/store-orders.js:12:34',
      '    at node_modules/@prisma/client/runtime.js:1:2',
    ]);
  });
});
