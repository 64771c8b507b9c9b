import { resolve } from 'node:path';
import { streamRewards, rewardExportColumns as columns } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { requireMerchant } from '../require-merchant.ts';
import { readSince } from './read-since.ts';
import { writeCsv } from './write-csv.ts';

const states = ['pending', 'confirmed', 'revoked', 'cancelled'];

export const rewardExport = command({
  does: "Write a merchant's rewards to a CSV file, oldest first. Date-times are ISO 8601 in UTC.",
  required: { merchant: 'merchant id', file: 'file to write; one that exists is replaced' },
  optional: {
    since: 'only rewards created from this day or moment on',
    state: states.join(', ').replace(/, (?=\w+$)/, ' or '),
  },
  async run({ merchant, file, since: sinceText, state }, { database }) {
    if (state !== undefined && !states.includes(state))
      throw new UsageError(`--state is one of ${states.join(', ')}, not ${state}.`);
    await requireMerchant(database, merchant);
    const since = await readSince(database, merchant, sinceText);
    const path = resolve(file);
    const rows = await writeCsv(path, [...columns], (write) =>
      streamRewards(database, merchant, { since, state: state ?? null }, (rewards) =>
        write(rewards.map((reward) => columns.map((column) => reward[column]))),
      ),
    );
    return { document: { rows, file: path } };
  },
});
