import { resolve } from 'node:path';
import { audit, rewardExportColumns as columns, streamRewards } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { readTime, requireMerchant } from '../option-values.ts';
import { writeCsv } from './write-csv.ts';

const states = ['pending', 'confirmed', 'revoked', 'cancelled'];

export const rewardExport = command({
  description: "Write a merchant's rewards to a CSV file, oldest first. Date-times are ISO 8601 in UTC.",
  audit: 'reward.exported',
  required: { merchant: 'merchant id', file: 'file to write; an existing file is replaced' },
  optional: {
    since: 'only rewards created from this day or date-time on',
    state: states.join(', ').replace(/, (?=\w+$)/, ' or '),
  },
  async run({ merchant, file, since: sinceText, state }, { database }) {
    if (state !== undefined && !states.includes(state))
      throw new UsageError(`--state must be one of ${states.join(', ')}, not ${state}.`);
    await requireMerchant(database, merchant);
    const since = await readTime(database, merchant, '--since', sinceText);
    await audit(database, { details: { since, state: state ?? null } });
    const path = resolve(file);
    const rows = await writeCsv(path, [...columns], (write) =>
      streamRewards(database, merchant, { since, state: state ?? null }, (rewards) =>
        write(rewards.map((reward) => columns.map((column) => reward[column]))),
      ),
    );
    return { document: { rows, file: path } };
  },
});
