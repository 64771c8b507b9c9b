import { parseInstant } from '@rewardhook/contract';
import { acknowledgeProblem, listProblems, problemKinds } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { readFlag, readLimit } from '../option-values.ts';

export const problemList = command({
  description:
    'List what is wrong, newest first: for merchants and for the operator. Housekeeping opens and closes problems.',
  audit: null,
  required: {},
  optional: {
    merchant: 'merchant id, or operator for those of the operator (default: all)',
    kind: problemKinds.join(', '),
    all: 'true: also those that were closed in the last 90 days',
    limit: '1 to 1000 (default 100)',
  },
  async run({ merchant, kind: given, all, limit = '100' }, { database }) {
    const kind = problemKinds.find((one) => one === given);
    if (given !== undefined && kind === undefined)
      throw new UsageError(`--kind must be one of ${problemKinds.join(', ')}.`);
    const search = {
      merchantId: merchant === 'operator' ? '' : merchant,
      kind,
      open: !readFlag('--all', all),
    };
    const { items, next } = await listProblems(database, search, { after: null, limit: readLimit(limit) });
    return { document: { problems: items, more: next !== null } };
  },
});

export const problemAcknowledge = command({
  description:
    'Accept a problem until a time: it is in no alert. Deliveries without retries left, and rewards without a webhook, are not late until then.',
  audit: 'problem.acknowledged',
  required: { problem: 'problem id', until: 'date-time with an offset, such as 2026-12-01T09:00:00+09:00' },
  async run({ problem, until: text }, { database }) {
    const until = parseInstant(text);
    if (typeof until !== 'string')
      throw new UsageError('--until must be a date-time such as 2026-12-01T09:00:00+09:00.');
    if (Date.parse(until) <= Date.now()) throw new UsageError('--until must be in the future.');
    if (!(await acknowledgeProblem(database, problem, until)))
      throw new UsageError(`There is no open problem ${problem}.`);
    return { document: { problemId: problem, acknowledgedUntil: until } };
  },
});
