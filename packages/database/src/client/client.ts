import { PrismaPg } from '@prisma/adapter-pg';
import { DatabaseError, Pool } from 'pg';
import type { PoolClient, QueryResultRow } from 'pg';
import { PrismaClient } from '../generated/client.ts';
import type { Prisma } from '../generated/client.ts';

/** The database, or a transaction on it. */
export type Database = PrismaClient;
export type Queryable = Prisma.TransactionClient;

export interface DatabaseOptions {
  url: string;
  /** Most connections of this process. */
  poolSize: number;
  /** Name shown in pg_stat_activity. */
  applicationName: string;
}

/** No statement of a service may take longer, in milliseconds. */
const statementTimeoutMs = 30_000;

/**
 * Opens the pool. Nothing is connected until the first query, so a process starts while PostgreSQL is away.
 * Every wait has an end: connecting, waiting for a connection or a lock, a statement, an idle transaction.
 */
export function openDatabase({ url, poolSize, applicationName }: DatabaseOptions): Database {
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 5_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  // A connection that is lost while idle is replaced at the next query, which tells if that fails too.
  pool.on('error', () => undefined);
  const database = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 10_000, timeout: statementTimeoutMs },
  });
  const disconnectPrisma = database.$disconnect.bind(database);
  database.$disconnect = async () => {
    await disconnectPrisma();
    if (!pool.ended) await pool.end();
  };
  pools.set(database, pool);
  return database;
}

const pools = new WeakMap<Database, Pool>();

/** Runs SQL past Prisma. */
export interface Sql {
  query<R extends QueryResultRow>(text: string, values: unknown[]): Promise<R[]>;
}

/**
 * The pool that Prisma uses, for the statements of the hot path: Prisma would turn a parameter of a megabyte into JSON
 * and back once more, and each row of an answer too. Nothing is prepared: a plan made for small tables would stay while
 * they grow, and planning costs little beside a batch.
 */
export function hot(database: Database): Sql {
  return sqlOf(poolOf(database));
}

/** Runs statements of the hot path in one transaction; what throws rolls it back. */
export async function transact<T>(database: Database, run: (tx: Sql) => Promise<T>): Promise<T> {
  const client = await poolOf(database).connect().catch(rememberLost);
  let broken: Error | undefined;
  // A connection that breaks says so beside failing its query; without a listener that would end the process.
  const onError = (error: Error) => (broken = error);
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const result = await run(sqlOf(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that cannot even roll back is thrown away.
    await client.query('ROLLBACK').catch((cause: Error) => (broken = cause));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

function poolOf(database: Database): Pool {
  const pool = pools.get(database);
  if (!pool) throw new Error('this database was not opened by openDatabase');
  return pool;
}

function sqlOf(connection: Pool | PoolClient): Sql {
  return {
    async query<R extends QueryResultRow>(text: string, values: unknown[]) {
      return (await connection.query<R>(text, values).catch(rememberLost)).rows;
    },
  };
}

/** Errors of the driver that do not come from PostgreSQL: the connection was lost, or did not come about in time. */
const lost = new WeakSet<object>();

function rememberLost(error: unknown): never {
  const { name } = error as Error;
  const isOwnMistake = name === 'TypeError' || name === 'RangeError';
  if (!(error instanceof DatabaseError) && !isOwnMistake) lost.add(error as Error);
  throw error;
}

/** Whether a statement on the driver failed because its connection was lost, or did not come about in time. */
export function isConnectionLost(error: unknown): boolean {
  return typeof error === 'object' && error !== null && lost.has(error);
}

/** Rejects when the database does not answer. */
export async function pingDatabase(database: Database): Promise<void> {
  await database.$queryRaw`SELECT 1`;
}
