import { DatabaseProblem } from './database-errors.ts';

/*
 * How every session of ours writes and reads values, and how its transactions run. Servers, databases and roles can have other
 * defaults, for example the time zone of the country, and texts of dates, numbers and bytes would have other forms.
 *
 * - A direct connection sets them once.
 * - Through a pooler in transaction mode a session setting would remain on a server connection that others use next. There they
 *   are defaults of the role (`migrate roles`), and a connection without them is refused.
 */

/** The settings by their names in PostgreSQL. */
export const sessionSettings: Record<string, string> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  search_path: 'public',
};

/** SQL of an array with the settings of the session that {@link requireSessionSettings} reads. */
export const currentSettingsSql = `ARRAY[${Object.keys(sessionSettings)
  .map((name) =>
    // The schemas that are searched: the default path names one after the user, which does not exist.
    name === 'search_path' ? `array_to_string(current_schemas(false), ', ')` : `current_setting('${name}')`,
  )
  .join(', ')}]`;

/** Values that are as good as the ones above. */
const equivalents = new Map<string, (value: string) => boolean>(
  Object.entries({
    TimeZone: (value: string) => ['UTC', 'Etc/UTC', 'UCT', 'GMT', 'Etc/GMT'].includes(value),
    DateStyle: (value: string) => value.startsWith('ISO,'),
    extra_float_digits: (value: string) => Number(value) >= 1,
  }),
);

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

/** The statement that makes a setting the default of a role in a database. */
export function alterRole(role: string, database: string, name: string, value: string): string {
  // A list, such as the search path, is written without quotes.
  const text = name === 'search_path' ? value : `'${value}'`;
  return `ALTER ROLE ${quoted(role)} IN DATABASE ${quoted(database)} SET ${name} = ${text};`;
}

/** Quotes an identifier of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The arguments of one `set_config` for each setting, as SQL. With `isLocal`, they hold until the transaction ends. */
export const setConfigSql = (settings: Record<string, string | number>, isLocal: boolean): string =>
  Object.entries(settings)
    .map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
    .join(', ');
