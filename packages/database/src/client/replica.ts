import type { Database } from './client.ts';
import { openDatabase } from './client.ts';
import { databaseProblemOf, isTransient } from './database-errors.ts';

/** Reads what may be a few seconds old: from the replica, or from the primary when there is none that can be used. */
export type ReadLists = <T>(read: (database: Database) => Promise<T>) => Promise<T>;

export interface ReplicaOptions {
  url: string;
  primary: Database;
  poolSize: number;
  applicationName: string;
  /** The replica is not used while it may lack a row that was committed longer ago than this. Default 5. */
  maxLagSeconds?: number;
  log: Record<'info' | 'warn', (message: string, fields?: object) => void>;
}

/** How often the positions of primary and replica are compared. */
const checkIntervalMs = 1_000;

/** A position in the write-ahead log of the primary, and a time at which it was at least reached. */
interface Sample {
  at: number;
  position: bigint;
}

/** Reads a position: two hexadecimal numbers of 32 bits, `16/B374D848`. */
function parsePosition(text: string): bigint {
  const [high = '', low = ''] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/**
 * Which history of which database a server has. It changes with a restore to an earlier moment, after which positions say
 * nothing about a replica that was not rebuilt. Undefined where it must not be read.
 */
async function findHistory(database: Database): Promise<string | undefined> {
  const rows = await database
    .query<{ history: string }>(
      `SELECT system_identifier || ' ' || timeline_id AS history FROM pg_control_system(), pg_control_checkpoint()`,
    )
    .catch(() => []);
  return rows[0]?.history;
}

/**
 * Opens a read replica of PostgreSQL. Every second the position that it has replayed is compared with earlier positions
 * of the primary: this detects a lag, a replication that has stopped and a frozen server alike. A read that fails on the
 * replica, or does not end before it is too far behind, is repeated on the primary.
 */
export function openReplica(options: ReplicaOptions): { read: ReadLists; close(): Promise<void> } {
  const { url, primary, poolSize, applicationName, maxLagSeconds = 5, log } = options;
  const replica = openDatabase({ url, poolSize, applicationName });
  /** Newest last. */
  let samples: Sample[] = [];
  /** Everything that was committed before this time can be read on the replica. */
  let currentTo = 0;
  let wasUsable = false;
  let problem = 'it has not been reached yet';
  const waiting = new Set<() => void>();

  const isUsable = () => performance.now() - currentTo <= maxLagSeconds * 1_000;
  const compare = async () => {
    const at = performance.now();
    const [own] = await primary.query<{ position: string }>(
      'SELECT pg_current_wal_flush_lsn()::text AS position',
    );
    samples.push({ at, position: parsePosition(own?.position ?? '0/0') });
    const [its] = await replica.query<{ position: string | null }>(
      `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS position`,
    );
    if (!its?.position) return void (problem = 'it is not a standby');
    const [history, itsHistory] = await Promise.all([primary, replica].map(findHistory));
    if (history !== undefined && itsHistory !== undefined && history !== itsHistory)
      return void (problem =
        'it has another history than the primary: rebuild it after a restore; after a failover this passes by itself');
    const replayed = parsePosition(its.position);
    const reached = samples.findLast(({ position }) => position <= replayed);
    problem = `it is more than ${maxLagSeconds} s behind`;
    if (!reached) return;
    currentTo = reached.at;
    samples = samples.filter((sample) => sample.at >= reached.at);
  };
  const report = () => {
    const usable = isUsable();
    if (usable && !wasUsable) log.info('lists are read from the replica');
    if (!usable && wasUsable)
      log.warn('lists are read from the primary: the replica cannot be used', { problem });
    wasUsable = usable;
    if (!usable) for (const giveUp of waiting) giveUp();
    // A stopped replica must not collect samples for ever. Its lag is then measured from the oldest that is left.
    samples = samples.slice(-3_600);
  };
  let comparing = false;
  const tick = () => {
    report();
    if (comparing) return;
    comparing = true;
    void compare()
      .catch((error: unknown) => {
        problem = databaseProblemOf(error)?.message ?? String(error);
      })
      .finally(() => {
        comparing = false;
        report();
      });
  };
  tick();
  const timer = setInterval(tick, checkIntervalMs);

  const onReplica = async <T>(read: (database: Database) => Promise<T>): Promise<T> => {
    let giveUp = () => {};
    const tooLate = new Promise<never>((_, reject) => {
      giveUp = () => reject(new ReplicaTooLate());
      waiting.add(giveUp);
    });
    try {
      return await Promise.race([read(replica), tooLate]);
    } finally {
      waiting.delete(giveUp);
    }
  };
  return {
    async read(read) {
      if (!isUsable()) return read(primary);
      try {
        return await onReplica(read);
      } catch (error) {
        const isOfReplica = error instanceof ReplicaTooLate || isTransient(error) || databaseProblemOf(error);
        if (!isOfReplica) throw error;
        // Not used again before a comparison succeeds.
        currentTo = 0;
        problem = error instanceof Error ? error.message : String(error);
        return read(primary);
      }
    },
    async close() {
      clearInterval(timer);
      await replica.$disconnect();
    },
  };
}

class ReplicaTooLate extends Error {}
