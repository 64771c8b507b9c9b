import { countAttempts, countClicks, countPromises } from '@rewardhook/database/operations';
import { connectSql, findInstallationId } from '@rewardhook/database/stages';
import { connectHousekeeping, parseExpectedProcesses } from '@rewardhook/pipeline';
import { retentionDays } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { operatorWebhook } from './environment.ts';
import type { HousekeepingSettings } from './environment.ts';
import { openNoticeMail } from './mail-notices.ts';
import { openProblemMail } from './mail-problems.ts';
import { openProblemFinder } from './find-problems.ts';
import { openPruner } from './prune.ts';
import { openProblemReports } from './report-problems.ts';
import { openWiper } from './wipe-test-sides.ts';

/** Starts the periodic tasks: each runs in one process at a time. */
export async function startHousekeeping(
  settings: HousekeepingSettings,
  context: ProcessContext,
): Promise<void> {
  const { log } = context;
  const database = connectSql(settings, context);
  const queue = connectHousekeeping(settings, context, () => findInstallationId(database));
  queue.start({
    prune: { everyMs: 3_600_000, run: openPruner(database, retentionDays(settings), context) },
    'wipe-test-sides': {
      everyMs: 2_000,
      run: openWiper({ database, log }),
    },
    'count-clicks': { everyMs: 300_000, run: (signal) => countClicks(database, { signal }) },
    'count-attempts': { everyMs: 60_000, run: (signal) => countAttempts(database, { signal }) },
    'count-promises': { everyMs: 15_000, run: () => countPromises(database) },
    'find-problems': {
      everyMs: 15_000,
      run: openProblemFinder({
        database,
        redis: queue.redis,
        prefix: settings.QUEUE_PREFIX,
        expected: parseExpectedProcesses(settings.EXPECTED_PROCESSES),
      }),
    },
    'report-problems': {
      everyMs: 5_000,
      run: openProblemReports({ database, log }, operatorWebhook(settings)),
    },
    'mail-notices': { everyMs: 5_000, run: openNoticeMail(settings, database, context) },
    // After the mails of notices, which say more about a failing webhook.
    'mail-problems': { everyMs: 15_000, run: openProblemMail(settings, { database, log }) },
  });
}
