import Joi from 'joi';
import { listPrograms, publishProgram } from '@rewardhook/database';
import type { Database, PublishedProgram } from '@rewardhook/database';
import { parseRule } from '@rewardhook/rewards';
import type {
  ProgramVersionView,
  ProgramView,
  PublishProgramRequest,
  SimulateRequest,
  SimulationView,
} from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { moment } from '../http/fields.ts';
import { route } from '../http/route.ts';
import { openSimulate } from './simulate.ts';

// What a rule is, is known in one place: parseRule of @rewardhook/rewards.
const rule = () => Joi.object().unknown().required();

/** GET /program */
export const showProgram = ({ database }: ConsoleParts) =>
  route('viewer', 'GET', '/program', async ({ merchantId }): Promise<ProgramView> => {
    const versions = await listPrograms(database, merchantId);
    return { program_id: newestOf(versions).id, versions: versions.map(viewVersion) };
  });

/** POST /program/simulate */
export const simulateProgram = ({ database }: ConsoleParts) => {
  const simulate = openSimulate(database);
  return route<Omit<SimulateRequest, 'since'> & { since: Date | null }>(
    'developer',
    'POST',
    '/program/simulate',
    ({ merchantId, body }): Promise<SimulationView> =>
      simulate(merchantId, { rule: parseRule(body.rule), since: body.since }),
    { body: Joi.object({ rule: rule(), since: moment().allow(null).default(null) }) },
  );
};

/** POST /program */
export const publishRule = ({ database, log }: ConsoleParts) =>
  route<PublishProgramRequest>(
    'developer',
    'POST',
    '/program',
    async ({ merchantId, body, session }): Promise<ProgramVersionView> => {
      const { version } = await publishProgram(database, merchantId, parseRule(body.rule));
      log.info('a program was published', { merchantId, version, userId: session.userId });
      return viewVersion(await requireVersion(database, merchantId, version));
    },
    { body: Joi.object<PublishProgramRequest>({ rule: rule() }), status: 201 },
  );

async function requireVersion(
  database: Database,
  merchantId: string,
  version: number,
): Promise<PublishedProgram> {
  const versions = await listPrograms(database, merchantId);
  return versions.find((one) => one.version === version) ?? newestOf(versions);
}

function newestOf(versions: PublishedProgram[]): PublishedProgram {
  const [newest] = versions;
  if (!newest) throw new Error('the merchant has no program');
  return newest;
}

function viewVersion({ version, publishedAt, rule: published }: PublishedProgram): ProgramVersionView {
  return { version, published_at: publishedAt.toISOString(), rule: published };
}
