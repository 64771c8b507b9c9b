import { listPrograms, publishProgram } from '@rewardhook/database';
import { command } from '../command.ts';
import { requireMerchant } from '../require-merchant.ts';
import { readRuleFile } from './read-rule-file.ts';

export const programShow = command({
  does: "Show a merchant's program: all versions of its rule, newest first. The newest counts.",
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    const versions = await listPrograms(database, merchant);
    return {
      document: {
        programId: versions[0]?.id,
        versions: versions.map(({ version, publishedAt, rule }) => ({ version, publishedAt, rule })),
      },
    };
  },
});

export const programPublish = command({
  does: 'Publish a rule as the next version of the program (docs/rewards.md). Rewards already given stay as they are.',
  required: { merchant: 'merchant id', program: 'file with the rule as JSON' },
  async run({ merchant, program: file }, { database }) {
    const rule = await readRuleFile(file);
    await requireMerchant(database, merchant);
    const published = await publishProgram(database, merchant, rule);
    return { document: { programId: published.id, version: published.version, rule } };
  },
});
