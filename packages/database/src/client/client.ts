import { readDatabaseUrl } from '@rewardhook/process';
import { Pool } from 'pg';
import type { PoolClient, QueryResultRow } from 'pg';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import { failedTransaction, readOnly, rethrowDriverError, sqlState } from './database-errors.ts';
import { beginStatement, isPooled, setUpSession, statementTimeoutMs } from './session.ts';

/**
 * The connection pool or a transaction: what a statement runs on. Parameters are `$1`, `$2`, …; the driver returns 64-bit
 * integers and numerics as text, and date-times as `Date` (in milliseconds).
 *
 * Statements of a transaction that are called without waiting for each other are sent together, and run one after the
 * other in the order of the calls. When one fails, those after it fail too.
 */
export interface Queryable {
  /** Runs a statement and returns its rows. */
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** Runs a statement and returns the number of rows that it inserted, updated, deleted or locked. */
  execute(text: string, values?: unknown[]): Promise<number>;
}

/**
 * The connection pool, for SQL: the stages, the sweepers, acts of people, lists and bulk work. Prisma would turn a parameter of a megabyte into
 * JSON and back, and each row of a result too. Statements are not prepared, because a plan made for small tables would be
 * kept while they grow; those with `keepPlans` are the exception.
 */
export interface Sql extends Queryable {
  /** Closes the connections. */
  $disconnect(): Promise<void>;
}

/** Prisma's client, and the pool that it uses, for SQL. A transaction is either `$transaction` or {@link transact}. */
export type Database = PrismaClient & Sql;

/** A transaction of Prisma's client, or the client: what model calls run on. SQL of it is `$queryRaw` and `$executeRaw`. */
export type Transaction = Prisma.TransactionClient;

export interface DatabaseOptions {
  url: string;
  /** The most connections of this process. */
  poolSize: number;
  /** The name shown in pg_stat_activity. */
  applicationName: string;
}

/**
 * Opens the connection pool. Nothing is connected until the first query, so a process can start while PostgreSQL is
 * unavailable. Every wait has a timeout: for a connection, a lock, a statement and an idle transaction. The URL may lead
 * through PgBouncer in transaction mode (session.ts).
 */
export function openPool({ url, poolSize, applicationName }: DatabaseOptions): Pool {
  const pool = new Pool({
    connectionString: readDatabaseUrl(url).url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    query_timeout: statementTimeoutMs + waitForResponseMs,
    pipeline: true,
    onConnect: setUpSession,
  });
  // The pool replaces a connection that is lost while idle; if that fails too, the next query reports it.
  pool.on('error', () => undefined);
  return pool;
}

/** Opens a pool for SQL only. */
export function openSql(options: DatabaseOptions): Sql {
  const pool = openPool(options);
  return onPool(pool, {
    ...queryableOf(pool),
    async $disconnect() {
      if (!pool.ended) await pool.end();
    },
  });
}

/** Makes the transactions of a handle run on a pool. */
export function onPool<Handle extends Sql>(pool: Pool, handle: Handle): Handle {
  pools.set(handle, pool);
  return handle;
}

/**
 * How long to wait for the response to a statement, in addition to its time limit; then the connection is closed. PostgreSQL
 * cancels the statement before that, unless those that were sent before it have used the time.
 */
const waitForResponseMs = 5_000;

const pools = new WeakMap<Sql, Pool>();

/** Options of a transaction. */
export interface TransactionOptions {
  /**
   * Whether its statements are planned once per connection, not each time. Only for statements that find every row by a
   * key, since their plans use indexes whatever the size of the tables, and whose texts are constants. Through a pooler,
   * where a statement may run on another connection than the one before, they are planned each time.
   */
  keepPlans?: boolean;
  /** The longest that a statement may take, in milliseconds; default 30 s. */
  statementMs?: number;
}

/** Runs statements in one transaction; an error rolls it back and is thrown. */
export async function transact<T>(
  database: Sql,
  run: (tx: Queryable) => Promise<T>,
  { keepPlans = false, statementMs = statementTimeoutMs }: TransactionOptions = {},
): Promise<T> {
  const client = await connectionOf(database);
  let broken: Error | undefined;
  let ended = false;
  let firstError: unknown;
  // A lost connection fails its query and also emits an error event, which would end the process without a listener.
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    const prepares = keepPlans && !isPooled(client);
    const tx = queryableOf(client, {
      hasEnded: () => ended,
      onError: (error) => (firstError ??= error),
      nameOf: prepares ? statementName : undefined,
      responseMs: statementMs + waitForResponseMs,
    });
    await client.query(beginStatement({ keepPlans, statementMs })).catch(rethrowDriverError);
    const result = await run(tx);
    ended = true;
    const { command } = await client.query('COMMIT').catch(rethrowDriverError);
    // The answer of PostgreSQL when a statement has failed.
    if (command === 'ROLLBACK') throw firstError ?? new Error('the transaction was rolled back');
    return result;
  } catch (error) {
    ended = true;
    // A connection that cannot roll back is not returned to the pool, nor one that may stay read-only after the database is not.
    await client.query('ROLLBACK').catch((cause: Error) => (broken = cause));
    if (sqlState(firstError ?? error) === readOnly) broken ??= error as Error;
    // Of statements that were sent together, one after the failed one may be noticed first.
    throw sqlState(error) === failedTransaction ? (firstError ?? error) : error;
  } finally {
    ended = true;
    client.off('error', onError);
    client.release(broken);
  }
}

/** Options of a single statement. */
export interface StatementOptions extends Pick<TransactionOptions, 'keepPlans'> {
  /**
   * Whether the commit waits until it is on disk; default true. Without it, a crash of PostgreSQL can undo the transactions of
   * the last second, as if they had never run.
   */
  durable?: boolean;
}

/**
 * Runs one statement as a transaction with options, in one round trip, and returns its rows. After an error other than that of
 * the statement, it may have been committed.
 */
export async function queryInTransaction<Row extends QueryResultRow>(
  database: Sql,
  text: string,
  values: unknown[],
  { keepPlans = false, durable = true }: StatementOptions,
): Promise<Row[]> {
  const client = await connectionOf(database);
  let broken: Error | undefined;
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    const name = keepPlans && !isPooled(client) ? statementName(text) : undefined;
    const begin = beginStatement({ keepPlans, durable });
    const outcomes = await Promise.allSettled([
      client.query(begin),
      client.query<Row>({ text, values, ...(name !== undefined && { name }) }),
      client.query('COMMIT'),
    ]);
    const [, result, commit] = outcomes;
    const errors = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as Error] : [],
    );
    // A connection whose transaction has not ended, or which has failed itself, is not used again.
    if (commit.status === 'rejected') broken ??= commit.reason as Error;
    broken ??= errors.find((error) => [undefined, readOnly].includes(sqlState(error)));
    // An error of BEGIN explains that of the statement after it.
    const error = errors.find((one) => sqlState(one) !== failedTransaction) ?? errors[0];
    if (error || result.status === 'rejected') return rethrowDriverError(error);
    return result.value.rows;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

function connectionOf(database: Sql): Promise<PoolClient> {
  const pool = pools.get(database);
  if (!pool) throw new Error('this handle has no pool');
  return pool.connect().catch(rethrowDriverError);
}

const names = new Map<string, string>();

/** The name under which a connection keeps the plan of a statement. */
function statementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `rewardhook_${names.size + 1}`;
  names.set(text, name);
  return name;
}

interface QueryableOptions {
  /**
   * Whether the transaction has ended. A call that began beside another one that failed could go on with its next statement,
   * which would then run outside of the transaction.
   */
  hasEnded?: () => boolean;
  /** Called with each error of a statement, in the order of the statements. */
  onError?: (error: unknown) => void;
  /** The longest that the response to a statement may take; default that of the connection. */
  responseMs?: number;
  /** Returns the name of a statement that is prepared. */
  nameOf?: ((text: string) => string) | undefined;
}

export function queryableOf(
  connection: Pool | PoolClient,
  { hasEnded, onError, nameOf, responseMs }: QueryableOptions = {},
): Queryable {
  const run = async <Row extends QueryResultRow>(text: string, values: unknown[]) => {
    if (hasEnded?.()) throw new Error('the transaction has ended');
    const statement = {
      text,
      values,
      ...(nameOf && { name: nameOf(text) }),
      ...(responseMs !== undefined && { query_timeout: responseMs }),
    };
    const result = await connection.query<Row>(statement).catch((error: unknown) => {
      onError?.(error);
      return rethrowDriverError(error);
    });
    return result;
  };
  return {
    async query<Row extends QueryResultRow>(text: string, values: unknown[] = []) {
      return (await run<Row>(text, values)).rows;
    },
    async execute(text: string, values: unknown[] = []) {
      return (await run(text, values)).rowCount ?? 0;
    },
  };
}

/** The use of the connection pool of this process. */
export interface PoolUse {
  max: number;
  idle: number;
  used: number;
  /** Statements that wait for a connection. */
  waiting: number;
}

/** Returns the use of the connection pool now. */
export function poolUse(database: Sql): PoolUse {
  const pool = pools.get(database);
  if (!pool) throw new Error('this handle has no pool');
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { max: options.max, idle: idleCount, used: totalCount - idleCount, waiting: waitingCount };
}

/**
 * Writes one row, without waiting for the disk. A row that another process is writing is skipped.
 * @throws when the database does not respond, or does not accept writes
 */
export async function probeDatabase(database: Sql): Promise<void> {
  const sql = `
    UPDATE write_probes SET probed_at = clock_timestamp()
    WHERE id = (SELECT id FROM write_probes LIMIT 1 FOR UPDATE SKIP LOCKED)`;
  await queryInTransaction(database, sql, [], { durable: false });
}
