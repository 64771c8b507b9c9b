import { connect } from 'node:net';
import { Client } from 'pg';
import type { ClientBase } from 'pg';
import {
  currentSettingsSql,
  requireSessionSettings,
  sessionSettings,
  setConfigSql,
} from './session-settings.ts';

/*
 * Time-outs of statements, which must hold with and without a connection pooler. PgBouncer in transaction mode refuses
 * them as start-up parameters, and a SET would remain on a server connection that other clients use next.
 *
 * - A direct connection gets them once, with SET: they cost nothing.
 * - A transaction through a pooler begins with SET LOCAL, in the same message as BEGIN.
 * - A single statement through a pooler is cancelled by its client, which a pooler supports without settings.
 */

/** The longest that a statement of a service may take, in milliseconds. */
export const statementTimeoutMs = 30_000;

/** The time-outs of a session by their names in PostgreSQL, in milliseconds. */
export const limits: Record<string, number> = {
  statement_timeout: statementTimeoutMs,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 30_000,
};

/** How long the first statement of a new connection may take: PgBouncer connects while PostgreSQL is unavailable. */
const firstStatementMs = 5_000;

/** Records that a transaction of a connection has begun or ended. */
export function setInTransaction(client: ClientBase, isInTransaction: boolean): void {
  if (client instanceof LimitedClient) client.isInTransaction = isInTransaction;
}

/** Whether a connection leads through a pooler. */
export function isPooled(client: ClientBase): boolean {
  return client instanceof LimitedClient && client.isPooled;
}

/**
 * The BEGIN of a transaction: with time-outs where the session has none or another one for statements, in milliseconds. Without
 * `durable`, its commit does not wait for the disk. With `keepPlans`, its plans are made for any parameters and use indexes whatever
 * the size of the tables, so that they can be kept.
 */
export function beginStatement(
  client: ClientBase,
  {
    keepPlans,
    statementMs = statementTimeoutMs,
    durable = true,
  }: { keepPlans: boolean; statementMs?: number; durable?: boolean },
): string {
  const own = { statement_timeout: statementMs };
  const isOther = statementMs !== limits['statement_timeout'];
  const timeouts = Object.entries(isPooled(client) ? { ...limits, ...own } : isOther ? own : {});
  const planning = keepPlans ? keepPlansSettings : [];
  const commit = durable ? [] : [['synchronous_commit', 'off'] as const];
  const settings = [...timeouts, ...planning, ...commit].map(
    ([name, value]) => `SET LOCAL ${name} = ${value}`,
  );
  return ['BEGIN', ...settings].join('; ');
}

/** What the plans of a transaction with `keepPlans` are made with. */
export const keepPlansSettings = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  ['enable_sort', 'off'],
  ['enable_incremental_sort', 'off'],
] as const;

/** Fields of a client of `pg` that its types do not declare. */
interface ClientFields {
  host: string;
  port: number;
  processID: number;
  secretKey: number;
}

/** What a new connection asks PostgreSQL. */
interface FirstRow {
  direct: boolean;
  settings: string[];
  role: string;
  database: string;
}

/** A connection whose statements are limited by PostgreSQL, or through a pooler by the client. */
export class LimitedClient extends Client {
  /** Whether the connection leads through a pooler, which gives its clients process ids of its own. */
  isPooled = false;

  /**
   * Finds out whether the connection is direct. If so, sets the settings and time-outs of its session; if not, requires that it
   * has the settings. @throws DatabaseProblem
   */
  async limit(): Promise<void> {
    const { processID } = this as unknown as ClientFields;
    const pinned = setConfigSql({ ...limits, ...sessionSettings }, false);
    // Evaluated by PostgreSQL, because a pooler may run the next statement on another connection.
    const { rows } = await super.query<FirstRow>({
      text: `SELECT pg_backend_pid() = ${processID} AS direct,
        CASE WHEN pg_backend_pid() = ${processID} THEN ARRAY[${pinned}] END AS pinned, ${currentSettingsSql} AS settings, current_user AS role, current_database() AS database`,
      query_timeout: firstStatementMs,
    } as { text: string });
    const [row] = rows;
    this.isPooled = !row?.direct;
    if (row && this.isPooled) requireSessionSettings(row.settings, row);
  }

  /** Whether a transaction has begun, whose statements PostgreSQL limits. */
  isInTransaction = false;

  /** Runs a statement as `pg` does. A single one through a pooler is cancelled when it takes too long. */
  override query(...parameters: unknown[]): never {
    const run = super.query.bind(this) as (...given: unknown[]) => unknown;
    if (!this.isPooled || this.isInTransaction) return run(...parameters) as never;
    const timer = setTimeout(() => this.#cancel(), statementTimeoutMs);
    const callback = parameters.at(-1);
    if (typeof callback === 'function') {
      const done = (...result: unknown[]) => {
        clearTimeout(timer);
        callback(...result);
      };
      return run(...parameters.slice(0, -1), done) as never;
    }
    return (run(...parameters) as Promise<unknown>).finally(() => clearTimeout(timer)) as never;
  }

  /** Asks the server to cancel the statement of this connection: a request on a connection of its own. */
  #cancel(): void {
    const { host, port, processID, secretKey } = this as unknown as ClientFields;
    const request = Buffer.alloc(16);
    request.writeInt32BE(16, 0);
    request.writeInt32BE(cancelRequestCode, 4);
    request.writeInt32BE(processID, 8);
    request.writeInt32BE(secretKey, 12);
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    // If the request fails, query_timeout fails the statement 5 s later and its connection is closed.
    socket.on('error', () => undefined);
    socket.setTimeout(firstStatementMs, () => socket.destroy());
    // The server closes the connection when it has forwarded the request. PgBouncer drops one whose client has gone.
    socket.on('connect', () => socket.write(request));
    socket.resume();
  }
}

/** The code of a CancelRequest in PostgreSQL's protocol. */
const cancelRequestCode = 80_877_102;
