import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { Client } from 'pg';

/**
 * A moment of a transaction, by the table that it has just written: `…-written` in the middle of it, `…-uncommitted` right before its
 * commit. At `orders-claimed` an evaluation has begun, and has neither locked nor read anything but what is due.
 */
export type PausePoint =
  | 'order-uncommitted'
  | 'orders-claimed'
  | 'decision-written'
  | 'decision-uncommitted'
  | 'event-uncommitted'
  | 'event-numbered';

/** A point at which the transactions of one merchant wait. */
export interface Pause {
  /** Resolves when a transaction waits there. @throws when none does within the time */
  reached(deadlineMs?: number): Promise<void>;
  /** How many transactions wait there. */
  waiting(): Promise<number>;
  /** Waits until some transactions wait for one that waits there, but not for longer than that. Returns whether they do. */
  untilBlocks(number: number, mostMs: number): Promise<boolean>;
  /** Lets them go on. The server commits, also when the process that began the transaction has been killed. */
  release(): Promise<void>;
  /** From now on only those wait that wait already: what begins later is committed before them. */
  letOthersPass(): Promise<void>;
  /** Ends the sessions that wait, so that their transactions are rolled back. Others still wait. */
  endSessions(): Promise<void>;
}

/**
 * Points at which transactions can be made to wait, without code in the product: triggers in the database of the run. A
 * statement of the service may take 30 s, so a pause must be shorter than 20 s.
 */
export interface PausePoints {
  /** From now on the transactions of a merchant wait at a point. */
  pause(point: PausePoint, merchantId: string): Promise<Pause>;
  close(): Promise<void>;
}

const triggers: { point: PausePoint; table: string; event: string; deferred: boolean }[] = [
  { point: 'order-uncommitted', table: 'orders', event: 'INSERT OR UPDATE', deferred: true },
  { point: 'orders-claimed', table: 'due_batches', event: 'DELETE', deferred: false },
  { point: 'decision-written', table: 'decisions', event: 'INSERT', deferred: false },
  { point: 'decision-uncommitted', table: 'decisions', event: 'INSERT', deferred: true },
  { point: 'event-uncommitted', table: 'events', event: 'INSERT', deferred: true },
  { point: 'event-numbered', table: 'events', event: 'UPDATE OF position', deferred: true },
];

/*
 * Not a lock that blocks: `lock_timeout` of the service would end its wait. While nobody holds the locks exclusively, each transaction
 * has them at once.
 */
const functionSql = `
  CREATE SCHEMA chaos;
  CREATE FUNCTION chaos.wait_here() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    merchant text := coalesce(NEW.merchant_id, OLD.merchant_id);
  BEGIN
    WHILE NOT (pg_try_advisory_xact_lock_shared(hashtextextended(TG_ARGV[0] || ' ' || merchant, 0))
      AND pg_try_advisory_xact_lock_shared(hashtextextended(TG_ARGV[0] || ' ' || pg_backend_pid(), 0))) LOOP
      PERFORM set_config('application_name', 'chaos ' || TG_ARGV[0] || ' ' || merchant, true);
      PERFORM pg_sleep(0.01);
    END LOOP;
    RETURN NULL;
  END $$;
  GRANT USAGE ON SCHEMA chaos TO PUBLIC;`;

const triggerSql = ({ point, table, event, deferred }: (typeof triggers)[number]) => `
  CREATE ${deferred ? 'CONSTRAINT ' : ''}TRIGGER "chaos_${point}" AFTER ${event} ON ${table}
  ${deferred ? 'DEFERRABLE INITIALLY DEFERRED ' : ''}FOR EACH ROW EXECUTE FUNCTION chaos.wait_here('${point}');`;

/** Installs the triggers in the database of a run. */
export async function openPausePoints(databaseUrl: string): Promise<PausePoints> {
  const connect = async () => {
    const client = new Client({ connectionString: databaseUrl, application_name: 'chaos' });
    // A fault can end the server; then the lock is gone, and nobody waits.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const installer = await connect();
  await installer.query(functionSql + triggers.map(triggerSql).join(''));
  await installer.end();
  const open = new Set<Client>();
  return {
    async pause(point, merchantId) {
      const client = await connect();
      open.add(client);
      await client.query(`SELECT pg_advisory_lock(hashtextextended($1 || ' ' || $2, 0))`, [
        point,
        merchantId,
      ]);
      // At most 63 bytes, which is what PostgreSQL keeps.
      const name = `chaos ${point} ${merchantId}`;
      const waiting = async () => {
        const sql = 'SELECT count(*)::int AS number FROM pg_stat_activity WHERE application_name = $1';
        return (await client.query<{ number: number }>(sql, [name])).rows[0]?.number ?? 0;
      };
      const blocked = async () => {
        const sql = `SELECT count(*)::int AS number FROM pg_stat_activity a WHERE EXISTS (
          SELECT FROM pg_stat_activity held WHERE held.application_name = $1 AND held.pid = ANY(pg_blocking_pids(a.pid)))`;
        return (await client.query<{ number: number }>(sql, [name])).rows[0]?.number ?? 0;
      };
      return {
        waiting,
        async untilBlocks(number, mostMs) {
          for (const end = performance.now() + mostMs; performance.now() < end; await setTimeout(20))
            if ((await blocked()) >= number) return true;
          return false;
        },
        reached: async (deadlineMs = 15_000) =>
          void (await waitFor(async () => (await waiting()) > 0, {
            deadlineMs,
            everyMs: 20,
            what: `a transaction at ${point}`,
          })),
        async release() {
          open.delete(client);
          await client.end();
        },
        async letOthersPass() {
          await client.query(
            `SELECT pg_advisory_lock(hashtextextended($1 || ' ' || pid, 0)) FROM pg_stat_activity WHERE application_name = $2`,
            [point, name],
          );
          await client.query("SELECT pg_advisory_unlock(hashtextextended($1 || ' ' || $2, 0))", [
            point,
            merchantId,
          ]);
        },
        async endSessions() {
          await client.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
            [name],
          );
        },
      };
    },
    async close() {
      await Promise.all([...open].map((client) => client.end().catch(() => undefined)));
    },
  };
}
