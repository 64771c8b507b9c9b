import {
  EditConflict,
  findNewestProgram,
  listFieldsChangedSince,
  listPrograms,
  publishProgram,
  streamSimulationOrders,
} from '@rewardhook/database';
import type { Database, PublishedProgram } from '@rewardhook/database';
import { openSimulation, productFiltersOf } from '@rewardhook/rewards';
import { command, CommandFailed, UsageError } from '../command.ts';
import { readTermsFile, readTime, requireMerchant } from '../option-values.ts';

export const programShow = command({
  description:
    "Show a merchant's program: the newest 100 versions of its terms, newest first. The newest is in force.",
  audit: null,
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    const { versions, more } = await listPrograms(database, merchant);
    return {
      document: {
        programId: versions[0]?.id,
        versions: versions.map(({ version, publishedAt, publishedBy, note, terms }) => ({
          version,
          publishedAt,
          publishedBy,
          note,
          terms,
        })),
        more,
      },
    };
  },
});

export const programPublish = command({
  description:
    'Publish terms as the next version of the program (docs/rewards.md). Existing rewards do not change.',
  audit: 'program.published',
  required: { merchant: 'merchant id', program: 'file with the terms as JSON' },
  optional: {
    'base-version': 'version that the terms were edited from; refused if a newer one was published since',
    note: 'why, for those who read the versions in the console',
  },
  async run({ merchant, program: file, baseVersion: baseText, note = '' }, { database }) {
    const baseVersion = baseText === undefined ? undefined : readVersion(baseText);
    const { timezone } = await requireMerchant(database, merchant);
    const terms = await readTermsFile(file, timezone);
    const published = await publishProgram(database, merchant, terms, baseVersion, {
      by: 'operator',
      note,
    }).catch(async (error: unknown) => {
      if (baseVersion === undefined || !(error instanceof EditConflict)) throw error;
      const { current } = error as EditConflict<PublishedProgram>;
      throw await editConflict(database, current, { merchantId: merchant, baseVersion });
    });
    return { document: { programId: published.id, version: published.version, terms } };
  },
});

/** Gains, and losses, in the lists of a simulation. All are counted. */
const maxListed = 1_000;

export const programSimulate = command({
  description:
    'Evaluate the stored orders under a draft of the terms: gains and losses of members, and the total cost. Changes nothing.',
  audit: null,
  required: { merchant: 'merchant id', program: 'file with the terms as JSON' },
  optional: { since: 'only orders from this day or date-time on, by order_date' },
  async run({ merchant, program: file, since: sinceText }, { database }) {
    const { timezone } = await requireMerchant(database, merchant);
    const terms = await readTermsFile(file, timezone);
    const since = await readTime(database, merchant, '--since', sinceText);
    const current = await findNewestProgram(database, merchant);
    const simulation = openSimulation({ id: current.id, version: current.version + 1, terms }, maxListed);
    await streamSimulationOrders(
      database,
      merchant,
      { since, products: productFiltersOf(terms) },
      simulation.add,
    );
    const { orders, reasons, rules, draft, current: now, difference, ...lists } = simulation.report();
    return {
      document: {
        since,
        currentVersion: current.version,
        orders,
        reasons,
        rules,
        draft,
        current: now,
        difference,
        totalCost: draft.amounts,
        ...lists,
      },
    };
  },
});

function readVersion(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--base-version must be a version number.');
  return Number(text);
}

async function editConflict(
  database: Database,
  newest: PublishedProgram,
  base: { merchantId: string; baseVersion: number },
): Promise<Error> {
  const changed = await listFieldsChangedSince(database, newest, base);
  if (!changed) return new UsageError(`The program has no version ${base.baseVersion}.`);
  return new CommandFailed(
    `Nothing was published: version ${newest.version} is the newest, and the terms were edited from version ` +
      `${base.baseVersion}. Fields changed since: ${changed.join(', ') || 'nothing'}. Read it with "program show", apply its changes ` +
      `to the terms, and publish with --base-version ${newest.version}.`,
  );
}
