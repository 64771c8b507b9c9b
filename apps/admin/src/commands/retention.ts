import {
  previewPruning,
  pruneDatabase,
  PruningInterrupted,
  readRetention,
} from '@rewardhook/database/operations';
import { command, CommandFailed } from '../command.ts';

export const retentionShow = command({
  description: 'Show for how many days rows are kept, and the sizes of the tables and their partitions.',
  required: {},
  audit: null,
  async run(_options, { database, retention }) {
    return { document: { policy: retention, ...(await readRetention(database)) } };
  },
});

export const retentionPrune = command({
  description:
    'Delete what the policy does not keep, as housekeeping does every hour. Deliveries that are still to be sent are ' +
    'kept with their events.',
  required: {},
  audit: 'rows.pruned',
  async preview(_options, { database, retention }) {
    return {
      what: 'Deletes what the policy does not keep: whole partitions, and rows, of which at most 10,001 are counted.',
      counts: await previewPruning(database, retention),
    };
  },
  async run(_options, { database, retention }) {
    try {
      return { document: await pruneDatabase(database, retention) };
    } catch (error) {
      if (!(error instanceof PruningInterrupted)) throw error;
      throw new CommandFailed(
        'Another process is pruning. Run the command again later to delete what is left.',
      );
    }
  },
});
