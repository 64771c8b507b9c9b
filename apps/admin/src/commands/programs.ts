import { EditConflict, listPrograms, publishProgram } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { ruleDifferences } from '@rewardhook/rewards';
import { command, CommandFailed, UsageError } from '../command.ts';
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
  optional: {
    'base-version': 'version that the rule was made from; refused if a newer one has been published since',
  },
  async run({ merchant, program: file, 'base-version': baseText }, { database }) {
    const baseVersion = baseText === undefined ? undefined : readVersion(baseText);
    const rule = await readRuleFile(file);
    await requireMerchant(database, merchant);
    const published = await publishProgram(database, merchant, rule, baseVersion).catch(
      async (error: unknown) => {
        if (baseVersion === undefined || !(error instanceof EditConflict)) throw error;
        throw await notNewest(database, merchant, baseVersion);
      },
    );
    return { document: { programId: published.id, version: published.version, rule } };
  },
});

function readVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--base-version is the number of a version.');
  return Number(text);
}

async function notNewest(database: Database, merchant: string, baseVersion: number): Promise<Error> {
  const versions = await listPrograms(database, merchant);
  const [newest] = versions;
  const base = versions.find(({ version }) => version === baseVersion);
  if (!newest || !base) return new UsageError(`The program has no version ${baseVersion}.`);
  const fields = ruleDifferences(base.rule, newest.rule).join(', ') || 'nothing';
  return new CommandFailed(
    `Nothing was published: version ${newest.version} is the newest, and the rule was made from version ` +
      `${baseVersion}. Changed since: ${fields}. Look at it with "program show", take its changes over, and publish ` +
      `with --base-version ${newest.version}.`,
  );
}
