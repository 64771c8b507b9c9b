import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';
import type { Prisma } from './generated/client.ts';

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
  const adapter = new PrismaPg({
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
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 10_000, timeout: statementTimeoutMs } });
}

/** Rejects when the database does not answer. */
export async function pingDatabase(database: Database): Promise<void> {
  await database.$queryRaw`SELECT 1`;
}
