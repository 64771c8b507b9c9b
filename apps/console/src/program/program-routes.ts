import Joi from 'joi';
import { dateTimeField } from '@rewardhook/contract';
import {
  EditConflict,
  findLiveTerms,
  findMerchant,
  listPrograms,
  noteUnchanged,
  publishProgram,
} from '@rewardhook/database';
import type { Database, PublishedProgram } from '@rewardhook/database';
import { parseTerms, termsDifferences } from '@rewardhook/rewards';
import type { ProgramVersionView, ProgramView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, versionConflict } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { openSimulate } from './simulate.ts';

// parseTerms of @rewardhook/rewards validates the terms.
const terms = () => Joi.object().unknown().required();

export const programHandlers = ({ database, log }: ConsoleDependencies) => {
  const simulate = openSimulate(database);
  /** Date-times without an offset are in the time zone of the merchant. */
  const read = async (merchantId: string, sent: unknown) =>
    parseTerms(sent, (await findMerchant(database, merchantId))?.timezone);
  return {
    async 'GET /program'({ merchantId }): Promise<ProgramView> {
      const versions = await listPrograms(database, merchantId);
      return { program_id: newestOf(versions).id, versions: versions.map(toVersionView) };
    },

    'POST /program/simulate': {
      input: { terms: terms(), since: dateTimeField().allow(null) },
      async handle({ merchantId, input: { terms: draft, since = null } }) {
        return simulate(merchantId, { terms: await read(merchantId, draft), since });
      },
    },

    'POST /program': {
      input: { terms: terms(), base_version: Joi.number().integer().min(1).required() },
      async handle({ merchantId, input, session }) {
        const { terms: requested, base_version: baseVersion } = input;
        const published = await publishProgram(
          database,
          merchantId,
          await read(merchantId, requested),
          baseVersion,
        ).catch(async (error: unknown) => {
          if (!(error instanceof EditConflict)) throw error;
          throw await newerVersion(database, merchantId, baseVersion);
        });
        const { version } = published;
        log.info('program published', { merchantId, version, userId: session.userId });
        return toVersionView(published);
      },
    },

    /** Publishes the terms of the live side on the test side, unless both have the same. */
    async 'POST /program/copy-live'({ merchantId, session }) {
      const live = await findLiveTerms(database, merchantId);
      const newest = newestOf(await listPrograms(database, merchantId));
      if (termsDifferences(newest.terms, live.terms).length === 0) {
        noteUnchanged();
        return toVersionView(newest);
      }
      const published = await publishProgram(database, merchantId, live.terms);
      log.info('live program copied', { merchantId, version: published.version, userId: session.userId });
      return toVersionView(published);
    },
  } satisfies Partial<Handlers>;
};

/** The error for terms that are based on an older version. */
async function newerVersion(database: Database, merchantId: string, baseVersion: number): Promise<Error> {
  const versions = await listPrograms(database, merchantId);
  const base = versions.find(({ version }) => version === baseVersion);
  if (!base) return invalidField('base_version', 'program_version_unknown');
  const newest = newestOf(versions);
  return versionConflict(toVersionView(newest), termsDifferences(base.terms, newest.terms));
}

function newestOf(versions: PublishedProgram[]): PublishedProgram {
  const [newest] = versions;
  if (!newest) throw new Error('the merchant has no program');
  return newest;
}

function toVersionView({ version, publishedAt, terms: published }: PublishedProgram): ProgramVersionView {
  return { version, published_at: publishedAt.toISOString(), terms: published };
}
