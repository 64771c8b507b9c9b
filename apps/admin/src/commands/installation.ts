import { findInstallationId } from '@rewardhook/database';
import { renewInstallationId } from '@rewardhook/database/operations';
import {
  adoptInstallation,
  claimInstallation,
  describeOtherInstallation,
  readInstallation,
} from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { command, CommandFailed, UsageError } from '../command.ts';
import type { AdminContext } from '../command.ts';
import { readFlag } from '../option-values.ts';

export const installationShow = command({
  description: 'Show the installation id of the PostgreSQL database, and that of the queues in Redis.',
  audit: null,
  required: {},
  async run(_options, { database, redis, queuePrefix }) {
    return { document: await readInstallations({ database, redis, queuePrefix }) };
  },
});

export const installationAdopt = command({
  description:
    'Let the queues in Redis belong to this database, after it replaced another one. Stop all processes first.',
  audit: 'queue.changed',
  required: {},
  optional: {
    replaces: 'the installation id that the queues have, from "installation show"',
    'new-id':
      'true: give the database a new id first, because it is a copy of the database of another installation',
  },
  async run({ replaces, newId }, context) {
    const before = await readInstallations(context);
    const renews = readFlag('--new-id', newId);
    const belongsHere = before.redis === null || (before.redis === before.database && !renews);
    if (!belongsHere && before.redis !== replaces)
      throw new UsageError(
        `The queues belong to the installation ${before.redis}. If this database replaces it, add --replaces ${before.redis}.`,
      );
    const { database, queuePrefix } = context;
    const id = renews ? await renewInstallationId(database) : before.database;
    const redis = await context.redis({ anyInstallation: true });
    const adopted =
      before.redis === null
        ? (await claimInstallation(redis, queuePrefix, id)) === id
        : await adoptInstallation(redis, queuePrefix, { id, replaced: before.redis });
    if (!adopted)
      throw new CommandFailed(
        'The queues got another installation id meanwhile: stop all processes, and run the command again.',
      );
    return { document: { before, database: id, redis: id } };
  },
});

/** The installation ids of the database and of the queues, which is null when they have none. */
export async function readInstallations({
  database,
  redis,
  queuePrefix,
}: Pick<AdminContext, 'database' | 'redis' | 'queuePrefix'>): Promise<{
  database: string;
  redis: string | null;
}> {
  const connection = await redis({ anyInstallation: true });
  return {
    database: await findInstallationId(database),
    redis: await readInstallation(connection, queuePrefix),
  };
}

/**
 * Checks that the queues belong to the database; queues that belong to none get its id.
 * @throws CommandFailed when they belong to another one
 */
export async function requireInstallation(
  redis: Redis,
  { database, queuePrefix }: Pick<AdminContext, 'database' | 'queuePrefix'>,
): Promise<void> {
  const id = await findInstallationId(database);
  const known = await claimInstallation(redis, queuePrefix, id);
  if (known !== id)
    throw new CommandFailed(describeOtherInstallation(queuePrefix, { redis: known, database: id }));
}
