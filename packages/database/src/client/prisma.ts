import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool, QueryResultRow } from 'pg';
import { PrismaClient } from '../generated/client.ts';
import { onPool, openPool, queryableOf } from './client.ts';
import type { Database, DatabaseOptions, Queryable, Sql } from './client.ts';
import { statementTimeoutMs } from './session.ts';

/*
 * The only file that loads Prisma's client, which takes 46 MB: workers open the pool alone (`openSql`).
 */

/** Prisma's client on the pool that its statements of SQL use too. */
class PrismaWithSql extends PrismaClient implements Sql {
  readonly #pool: Pool;
  readonly #sql: Queryable;

  constructor(pool: Pool) {
    super({
      adapter: new PrismaPg(pool),
      transactionOptions: { maxWait: 10_000, timeout: statementTimeoutMs },
    });
    this.#pool = pool;
    this.#sql = queryableOf(pool);
  }

  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> {
    return this.#sql.query<Row>(text, values);
  }

  execute(text: string, values?: unknown[]): Promise<number> {
    return this.#sql.execute(text, values);
  }

  override async $disconnect(): Promise<void> {
    await super.$disconnect();
    if (!this.#pool.ended) await this.#pool.end();
  }
}

/** Opens Prisma's client and its pool, as `openSql` does. Transactions of it that take longer than a statement may are rolled back. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options);
  return onPool(pool, new PrismaWithSql(pool));
}
