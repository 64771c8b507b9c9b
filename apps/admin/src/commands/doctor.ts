import { databaseProblemOf, listParkedEndpoints } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { countBacklog, findBadTimeZones, findFaults, probeDatabase } from '@rewardhook/database/operations';
import { listParked } from '@rewardhook/database/stages';
import { command } from '../command.ts';
import { readFlag } from '../option-values.ts';
import { examineAfterRestore, readRestoredTo } from './after-restore.ts';
import { readInstallations } from './installation.ts';
import { examinePipeline } from './examine-pipeline.ts';

/** The checks of the database together take at most this time, in milliseconds; with `--full true` an hour. */
const timeoutMs = 4_000;
const fullTimeoutMs = 3_600_000;

export const doctor = command({
  description:
    'Count everything that is due, stuck or inconsistent. The exit code is 1 when something is wrong.',
  audit: null,
  required: {},
  optional: {
    'after-restore':
      'true, or the moment that was restored: lists what is missing and what to do after a restore of PostgreSQL or Redis',
    full: 'true: check all rows, not only those of the last hour (takes minutes in a large database)',
  },
  async run(options, context) {
    const { database, queuePrefix, redis, sealer } = context;
    const full = readFlag('--full', options.full);
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
    ] = await Promise.all([
      findFaults(database, limits),
      countBacklog(database, limits),
      listParked(database),
      listParkedEndpoints(database),
      findBadTimeZones(database),
      findWriteError(database),
      examinePipeline(connection, queuePrefix, sealer.fingerprints),
      readInstallations(context),
    ]);
    const checksUnfinished = [...unfinished, ...backlog.unfinished];
    const faults = {
      ...counts,
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
        full,
        faults,
        checksUnfinished,
        installation,
        parked,
        webhooksParked,
        jobsParked: pipeline.jobsParked,
        timeZones,
        backlog: backlog.counts,
        queues: pipeline.queues,
        processes: pipeline.processes,
        database: { writeError },
        redis: pipeline.redis,
      },
      ok: clean,
    };
  },
});

/** Why PostgreSQL accepts no writes; null when it does. @throws when it is not available */
async function findWriteError(database: Database): Promise<string | null> {
  try {
    await probeDatabase(database);
    return null;
  } catch (error) {
    if (databaseProblemOf(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
