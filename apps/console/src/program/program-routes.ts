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
import type {
  ProgramVersionView,
  ProgramView,
  PublishProgramRequest,
  SimulateRequest,
  SimulationView,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, versionConflict } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { openSimulate } from './simulate.ts';

// parseRule of @rewardhook/rewards validates the rule.
const rule = () => Joi.object().unknown().required();

/** GET /program */
export const showProgram = ({ database }: ConsoleDependencies) =>
  route('viewer', 'GET', '/program', async ({ merchantId }): Promise<ProgramView> => {
    const versions = await listPrograms(database, merchantId);
    return { program_id: newestOf(versions).id, versions: versions.map(toVersionView) };
  });

/** POST /program/simulate */
export const simulateProgram = ({ database }: ConsoleDependencies) => {
  const simulate = openSimulate(database);
  return route<Omit<SimulateRequest, 'since'> & { since: string | null }>(
    'developer',
    'POST',
    '/program/simulate',
    ({ merchantId, body }): Promise<SimulationView> =>
      simulate(merchantId, { rule: parseRule(body.rule), since: body.since }),
    { body: Joi.object({ rule: rule(), since: dateTimeField().allow(null).default(null) }), audit: null },
  );
};

/** POST /program */
export const publishRule = ({ database, log }: ConsoleDependencies) =>
  route<PublishProgramRequest>(
    'developer',
    'POST',
    '/program',
    async ({ merchantId, body, session }): Promise<ProgramVersionView> => {
      const { rule: requested, base_version: baseVersion } = body;
      const published = await publishProgram(database, merchantId, parseRule(requested), baseVersion).catch(
        async (error: unknown) => {
          if (!(error instanceof EditConflict)) throw error;
          throw await newerVersion(database, merchantId, baseVersion);
        },
      );
      log.info('program published', {
        merchantId,
        version: published.version,
        userId: session.userId,
      });
      return toVersionView(published);
    },
    {
      body: Joi.object<PublishProgramRequest>({
        rule: rule(),
        base_version: Joi.number().integer().min(1).required(),
      }),
      status: 201,
      audit: 'program.published',
    },
  );

/** POST /test/program/copy-live: publishes the rule of the live side on the test side, unless both have the same. */
export const copyLiveProgram = ({ database, log }: ConsoleDependencies) =>
  route(
    'developer',
    'POST',
    '/program/copy-live',
    async ({ merchantId, session }): Promise<ProgramVersionView> => {
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
    { side: 'test', status: 201, audit: 'program.published' },
  );

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
