import {
  databaseProblemOf,
  listParkedEndpoints,
  listPausedMerchants,
  listProblems,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import {
  countBacklog,
  countedWithinSeconds,
  countLateRewards,
  findBadTimeZones,
  findFaults,
  listOpenPromises,
  probeDatabase,
  promiseScopes,
  readPromiseSums,
} from '@rewardhook/database/operations';
import type { PromiseScope } from '@rewardhook/database/operations';
import { listParked } from '@rewardhook/database/stages';
import { command, UsageError } from '../command.ts';
import { readFlag } from '../option-values.ts';
import { examineAfterRestore, readRestoredTo } from './after-restore.ts';
import { readInstallations } from './installation.ts';
import { checkPipeline } from '@rewardhook/pipeline';

/** The checks of the database together take at most this time, in milliseconds; with `--full true` an hour. */
const timeoutMs = 4_000;
const fullTimeoutMs = 3_600_000;

/** Merchants and holders of promises that are listed, the oldest first. */
const listedPromises = 20;

/** Open problems that are listed, the newest first. */
const listedProblems = 50;

export const doctor = command({
  description:
    'Count everything that is due, stuck or inconsistent. The exit code is 1 when something is wrong.',
  audit: null,
  required: {},
  optional: {
    'after-restore':
      'true, or the moment that was restored: lists what is missing and what to do after a restore of PostgreSQL or Redis',
    scope: 'service: leave out what only the receiver of a webhook can fix; default all',
    full: 'true: check all rows, not only those of the last hour (takes minutes in a large database)',
  },
  async run(options, context) {
    const { database, queuePrefix, redis, sealer } = context;
    const full = readFlag('--full', options.full);
    const scope = readScope(options.scope);
    const limits = { full, timeoutMs: full ? fullTimeoutMs : timeoutMs };
    if (options.afterRestore !== undefined)
      return examineAfterRestore(context, { restoredTo: readRestoredTo(options.afterRestore), ...limits });
    const connection = await redis({ anyInstallation: true });
    const [
      { counts, unfinished },
      backlog,
      parked,
      webhooksParked,
      timeZones,
      writeError,
      pipeline,
      installation,
      promises,
      late,
      oldest,
      problems,
      paused,
    ] = await Promise.all([
      findFaults(database, limits),
      countBacklog(database, limits),
      listParked(database),
      listParkedEndpoints(database),
      findBadTimeZones(database),
      findWriteError(database),
      checkPipeline(connection, queuePrefix, {
        secretsKeys: sealer.fingerprints,
        expected: context.expectedProcesses,
      }),
      readInstallations(context),
      readPromiseSums(database),
      countLateRewards(database, scope),
      listOpenPromises(database, listedPromises),
      listProblems(database, { open: true }, { after: null, limit: listedProblems }),
      listPausedMerchants(database),
    ]);
    const checksUnfinished = [...unfinished, ...backlog.unfinished];
    const faults = {
      ...counts,
      rewardsNotDelivered: late,
      promisesNotCounted: Number(promises.countedSeconds > countedWithinSeconds),
      timeZonesUnknown: timeZones.length,
      databaseReadOnly: Number(writeError !== null),
      installationsDiffer: Number(
        installation.redis !== null && installation.redis !== installation.database,
      ),
      checksUnfinished: checksUnfinished.length,
      ...pipeline.faults,
    };
    const clean = Object.values(faults).every((count) => count === 0);
    return {
      document: {
        clean,
        scope,
        full,
        faults,
        checksUnfinished,
        promises: {
          countedSeconds: promises.countedSeconds,
          stored: pipeline.stored,
          counted: promises.sums.filter(({ number }) => number > 0),
          oldest,
        },
        problems: problems.items,
        merchantsPaused: paused,
        installation,
        parked,
        webhooksParked,
        jobsParked: pipeline.jobsParked,
        timeZones,
        backlog: backlog.counts,
        queues: pipeline.queues,
        processes: pipeline.processes,
        processesMissing: pipeline.processesMissing,
        database: { writeError },
        redis: pipeline.redis,
      },
      ok: clean,
    };
  },
});

/** @throws UsageError */
function readScope(given: string = 'all'): PromiseScope {
  const scope = promiseScopes.find((one) => one === given);
  if (scope === undefined) throw new UsageError(`--scope must be all or service, not ${given}.`);
  return scope;
}

/** Why PostgreSQL accepts no writes; null when it does. @throws when it is not available */
async function findWriteError(database: Database): Promise<string | null> {
  try {
    await probeDatabase(database);
    return null;
  } catch (error) {
    const kind = databaseProblemOf(error)?.kind;
    if (kind !== undefined && kind !== 'read_only') throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
