import type { ClientBase } from 'pg';
import { DatabaseProblem } from './database-errors.ts';

/*
 * How every session of ours writes and reads values, how its transactions run, and how long they may take. Servers, databases and
 * roles can have other defaults, for example the time zone of the country, and texts of dates, numbers and bytes would have other
 * forms.
 *
 * `default_transaction_read_only` is none of them: managed services stop writers with it before a disk is full.
 *
 * - A direct connection sets them once.
 * - Through a pooler in transaction mode a session setting would remain on a server connection that others use next. There they
 *   are defaults of the role (`migrate roles`), and a connection without them is refused.
 */

/** The longest that a statement of a service may take, in milliseconds. */
export const statementTimeoutMs = 30_000;

/**
 * The time limits by their names in PostgreSQL. A transaction whose process has sent nothing for as long as the lock of a job lasts
 * belongs to a frozen process or to none: another one has the job by then, and would wait for its locks.
 */
const timeLimits: Record<string, string> = {
  statement_timeout: '30s',
  lock_timeout: '10s',
  idle_in_transaction_session_timeout: '10s',
};

/** The settings by their names in PostgreSQL. */
export const sessionSettings: Record<string, string> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  search_path: 'public',
  ...timeLimits,
};

/** SQL of an array with the settings of the session that {@link requireSessionSettings} reads. */
const currentSettingsSql = `ARRAY[${Object.keys(sessionSettings)
  .map((name) =>
    // The schemas that are searched: the default path names one after the user, which does not exist.
    name === 'search_path' ? `array_to_string(current_schemas(false), ', ')` : `current_setting('${name}')`,
  )
  .join(', ')}]`;

/** Values that are as good as the ones above. */
const equivalents = new Map<string, (value: string) => boolean>([
  ['TimeZone', (value) => ['UTC', 'Etc/UTC', 'UCT', 'GMT', 'Etc/GMT'].includes(value)],
  ['DateStyle', (value) => value.startsWith('ISO,')],
  ['extra_float_digits', (value) => Number(value) >= 1],
  // Operators can choose other limits, but not none.
  ...Object.keys(timeLimits).map((name) => [name, (value: string) => value !== '0'] as const),
]);

/**
 * Requires that a session through a pooler has the settings.
 * @throws DatabaseProblem that names the first setting which differs, and the command that changes it
 */
export function requireSessionSettings(
  values: string[],
  { role, database }: { role: string; database: string },
): void {
  for (const [index, [name, expected]] of Object.entries(sessionSettings).entries()) {
    const value = values[index] ?? '';
    if (value === expected || equivalents.get(name)?.(value)) continue;
    throw new DatabaseProblem(
      'wrong_settings',
      `Through the connection pooler, the setting ${name} of PostgreSQL is ${value || 'empty'} for the role ${role}; it must be ${expected}. ` +
        `Run ${alterRole(role, database, name, expected)} or the command "migrate roles", and then RECONNECT in the pooler.`,
    );
  }
}

/** The statement that makes a setting the default of a role in a database; with the value undefined, that it has none. */
export function alterRole(role: string, database: string, name: string, value: string | undefined): string {
  // A list, such as the search path, is written without quotes.
  const text = name === 'search_path' ? value : `'${value}'`;
  const change = value === undefined ? `RESET ${name}` : `SET ${name} = ${text}`;
  return `ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(database)} ${change};`;
}

/** Quotes an identifier of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The arguments of one `set_config` for each setting, as SQL. With `isLocal`, they hold until the transaction ends. */
export const setConfigSql = (settings: Record<string, string | number>, isLocal: boolean): string =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
    .join(', ');

/** What a new connection asks PostgreSQL. */
interface FirstRow {
  direct: boolean;
  settings: string[];
  role: string;
  database: string;
}

/** How long the first statement of a new connection may take, in milliseconds: PgBouncer connects while PostgreSQL is unavailable. */
const firstStatementMs = 5_000;

/** Connections that lead through a pooler. */
const pooled = new WeakSet<ClientBase>();

/** Whether a connection leads through a pooler, which keeps no prepared statements. */
export const isPooled = (client: ClientBase): boolean => pooled.has(client);

/**
 * Sets the settings of a new connection's session if it is direct; requires that it has them if it leads through a pooler, which
 * gives its clients process ids of its own.
 * @throws DatabaseProblem
 */
export async function setUpSession(client: ClientBase): Promise<void> {
  // A field of a client of `pg` that its types do not declare.
  const { processID } = client as unknown as { processID: number };
  // Evaluated by PostgreSQL, because a pooler may run the next statement on another connection.
  const { rows } = await client.query<FirstRow>({
    text: `SELECT pg_backend_pid() = ${processID} AS direct,
      CASE WHEN pg_backend_pid() = ${processID} THEN ARRAY[${setConfigSql(sessionSettings, false)}] END AS pinned,
      ${currentSettingsSql} AS settings, current_user AS role, current_database() AS database`,
    query_timeout: firstStatementMs,
  } as { text: string });
  const [row] = rows;
  if (row?.direct) return;
  pooled.add(client);
  if (row) requireSessionSettings(row.settings, row);
}

/**
 * The BEGIN of a transaction, with its own time limit of statements, in milliseconds. Without `durable`, its commit does not wait
 * for the disk. With `keepPlans`, its plans are made for any parameters and use indexes whatever the size of the tables, so that
 * they can be kept.
 */
export function beginStatement({
  keepPlans,
  statementMs = statementTimeoutMs,
  durable = true,
}: {
  keepPlans: boolean;
  statementMs?: number;
  durable?: boolean;
}): string {
  const settings = [
    ...(statementMs === statementTimeoutMs ? [] : [['statement_timeout', statementMs] as const]),
    ...(keepPlans ? keepPlansSettings : []),
    ...(durable ? [] : [['synchronous_commit', 'off'] as const]),
  ].map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  return ['BEGIN', ...settings].join('; ');
}

/** What the plans of a transaction with `keepPlans` are made with. */
export const keepPlansSettings = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  ['enable_sort', 'off'],
  ['enable_incremental_sort', 'off'],
] as const;
