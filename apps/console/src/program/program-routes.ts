import Joi from 'joi';
import { dateTimeField } from '@rewardhook/contract';
import {
  EditConflict,
  findLiveRule,
  listPrograms,
  noteUnchanged,
  publishProgram,
} from '@rewardhook/database';
import type { Database, PublishedProgram } from '@rewardhook/database';
import { parseRule, ruleDifferences } from '@rewardhook/rewards';
import type { ProgramVersionView, ProgramView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, versionConflict } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { openSimulate } from './simulate.ts';

// parseRule of @rewardhook/rewards validates the rule.
const rule = () => Joi.object().unknown().required();

export const programHandlers = ({ database, log }: ConsoleDependencies) => {
  const simulate = openSimulate(database);
  return {
    async 'GET /program'({ merchantId }): Promise<ProgramView> {
      const versions = await listPrograms(database, merchantId);
      return { program_id: newestOf(versions).id, versions: versions.map(toVersionView) };
    },

    'POST /program/simulate': {
      input: { rule: rule(), since: dateTimeField().allow(null) },
      async handle({ merchantId, input: { rule: draft, since = null } }) {
        return simulate(merchantId, { rule: parseRule(draft), since });
      },
    },

    'POST /program': {
      input: { rule: rule(), base_version: Joi.number().integer().min(1).required() },
      async handle({ merchantId, input, session }) {
        const { rule: requested, base_version: baseVersion } = input;
        const published = await publishProgram(database, merchantId, parseRule(requested), baseVersion).catch(
          async (error: unknown) => {
            if (!(error instanceof EditConflict)) throw error;
            throw await newerVersion(database, merchantId, baseVersion);
          },
        );
        const { version } = published;
        log.info('program published', { merchantId, version, userId: session.userId });
        return toVersionView(published);
      },
    },

    /** Publishes the rule of the live side on the test side, unless both have the same. */
    async 'POST /program/copy-live'({ merchantId, session }) {
      const live = await findLiveRule(database, merchantId);
      const newest = newestOf(await listPrograms(database, merchantId));
      if (ruleDifferences(newest.rule, live.rule).length === 0) {
        noteUnchanged();
        return toVersionView(newest);
      }
      const published = await publishProgram(database, merchantId, live.rule);
      log.info('live program copied', { merchantId, version: published.version, userId: session.userId });
      return toVersionView(published);
    },
  } satisfies Partial<Handlers>;
};

/** The error for a rule that is based on an older version. */
async function newerVersion(database: Database, merchantId: string, baseVersion: number): Promise<Error> {
  const versions = await listPrograms(database, merchantId);
  const base = versions.find(({ version }) => version === baseVersion);
  if (!base) return invalidField('base_version', 'program_version_unknown');
  const newest = newestOf(versions);
  return versionConflict(toVersionView(newest), ruleDifferences(base.rule, newest.rule));
}

function newestOf(versions: PublishedProgram[]): PublishedProgram {
  const [newest] = versions;
  if (!newest) throw new Error('the merchant has no program');
  return newest;
}

function toVersionView({ version, publishedAt, rule: published }: PublishedProgram): ProgramVersionView {
  return { version, published_at: publishedAt.toISOString(), rule: published };
}
