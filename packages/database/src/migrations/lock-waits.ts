import type { Client } from 'pg';

/**
 * Describes the longest transactions that hold locks on tables of this database, one line each. Their application and
 * query are known only to a superuser, a member of pg_monitor, or their own role.
 */
export async function describeLockHolders(client: Client): Promise<string[]> {
  const { rows } = await client.query<{
    pid: number;
    user: string | null;
    application: string | null;
    seconds: string | null;
    query: string | null;
  }>(
    `SELECT a.pid, a.usename AS "user", a.application_name AS application,
       round(extract(epoch FROM clock_timestamp() - a.xact_start)) AS seconds, left(a.query, 100) AS query
     FROM pg_stat_activity AS a
     WHERE a.pid <> pg_backend_pid() AND a.pid IN (
       SELECT pid FROM pg_locks JOIN pg_class AS c ON c.oid = relation
       WHERE locktype = 'relation' AND granted AND c.relkind IN ('r', 'p')
         AND c.relnamespace = 'public'::regnamespace
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
     ORDER BY a.xact_start NULLS LAST
     LIMIT 3`,
  );
  return rows.map(({ pid, user, application, seconds, query }) => {
    const age = seconds === null ? 'a transaction' : `a transaction of ${seconds} s`;
    return `  process ${pid} (${[user, application].filter(Boolean).join(', ')}): ${age}, ${query ?? 'unknown query'}`;
  });
}
