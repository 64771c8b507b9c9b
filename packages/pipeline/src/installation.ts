import { withTimeout } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import type { Redis } from './redis.ts';

/*
 * An installation is one PostgreSQL database with the queues that belong to it. The database has a random id, which Redis
 * has too, under the prefix of the queues. So a process that has the DATABASE_URL of one installation and the REDIS_URL of
 * another takes no job and accepts no order.
 */

const keyOf = (prefix: string) => `${prefix}:installation`;

/** The id of the installation that the queues belong to; null when Redis has none. @throws when Redis is unavailable */
export function readInstallation(redis: Redis, prefix: string): Promise<string | null> {
  return redis.get(keyOf(prefix));
}

/**
 * Returns the id of the installation that the queues belong to: `id`, if they belonged to none.
 * @throws when Redis is unavailable
 */
export async function claimInstallation(redis: Redis, prefix: string, id: string): Promise<string> {
  const known = await readInstallation(redis, prefix);
  if (known !== null) return known;
  await redis.set(keyOf(prefix), id, 'NX');
  return (await readInstallation(redis, prefix)) ?? id;
}

const adoptScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1`;

/**
 * Lets the queues belong to the installation `id`. Returns false, and changes nothing, when they do not belong to
 * `replaced`. @throws when Redis is unavailable
 */
export async function adoptInstallation(
  redis: Redis,
  prefix: string,
  { id, replaced }: { id: string; replaced: string },
): Promise<boolean> {
  return (await redis.eval(adoptScript, 1, keyOf(prefix), id, replaced)) === 1;
}

/** Describes that the queues belong to another installation than the database, and what to do. */
export function describeOtherInstallation(
  prefix: string,
  { redis, database }: { redis: string; database: string },
): string {
  return (
    `The queues in Redis with the prefix ${prefix} belong to the installation ${redis}, ` +
    `and the PostgreSQL database is the installation ${database}. Check REDIS_URL, QUEUE_PREFIX and DATABASE_URL. ` +
    `If this database replaces the other one, stop all processes and run "installation adopt --replaces ${redis}".`
  );
}

/** What a process knows about the installation that its queues belong to. */
export interface InstallationWatch {
  /** Why the queues must not be used now; undefined when they may be used. Sends nothing. */
  refusal(): string | undefined;
  /** Resolves when the queues may be used. */
  confirmed(): Promise<void>;
}

/** The watch of a process without a database, which uses the queues of any installation. */
export const anyInstallation: InstallationWatch = {
  refusal: () => undefined,
  confirmed: () => Promise.resolve(),
};

const intervalMs = 1_000;

/** The longest that PostgreSQL may take to return the id, in milliseconds. */
const readTimeoutMs = 10_000;

/**
 * Compares the installation of the queues with that of the database after each connect to Redis, and every second, so that
 * an emptied Redis gets the id again. When they differ, the process ends. `readId` returns the id of the database.
 */
export function watchInstallation(
  redis: Redis,
  prefix: string,
  readId: () => Promise<string>,
  { fail, release }: Pick<ProcessContext, 'fail' | 'release'>,
): InstallationWatch {
  let id: string | undefined;
  let refusal: string | undefined = 'Redis and PostgreSQL have not been compared yet';
  let waiting: (() => void)[] = [];
  let comparing = false;
  let closed = false;

  const compare = async () => {
    id ??= await withTimeout(readId(), readTimeoutMs, 'PostgreSQL did not answer');
    const known = await claimInstallation(redis, prefix, id);
    if (closed) return;
    if (known !== id) {
      refusal = describeOtherInstallation(prefix, { redis: known, database: id });
      return stop(() => fail(String(refusal)));
    }
    refusal = undefined;
    for (const resolve of waiting.splice(0)) resolve();
  };
  const compareNow = () => {
    if (comparing || redis.status !== 'ready') return;
    comparing = true;
    compare()
      .catch((error: Error) => {
        // What was compared once stays so while the connection does.
        if (id === undefined) refusal = `Redis and PostgreSQL cannot be compared: ${error.message}`;
      })
      .finally(() => (comparing = false));
  };
  const onClose = () => (refusal ??= 'Redis and PostgreSQL have not been compared since Redis was connected');
  const timer = setInterval(compareNow, intervalMs);
  redis.on('ready', compareNow);
  redis.on('close', onClose);
  const stop = (then: () => void) => {
    closed = true;
    clearInterval(timer);
    redis.off('ready', compareNow);
    redis.off('close', onClose);
    waiting = [];
    then();
  };
  release('watch of the installation', () => stop(() => undefined));
  return {
    refusal: () => refusal,
    confirmed: () =>
      refusal === undefined ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
  };
}
