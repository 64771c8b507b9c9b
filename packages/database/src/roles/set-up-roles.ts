import { readDatabaseUrl } from '@rewardhook/process';
import { DatabaseError } from 'pg';
import type { Client } from 'pg';
import { alterRole, quoted, sessionSettings } from '../client/session.ts';
import { inLockedTransaction, withMigrator } from '../migrations/migration-connection.ts';
import type { MigratorOptions } from '../migrations/migration-connection.ts';
import { MigrationRefused } from '../migrations/migration-history.ts';
import { grantApplication, grantReadOnly } from './role-grants.ts';
import { scramVerifier } from './scram-verifier.ts';

export interface RoleOptions extends MigratorOptions {
  /** The URL that the processes use: its user becomes the application's role, with its password. */
  appUrl?: string | undefined;
  /** The same for support and reports. */
  readOnlyUrl?: string | undefined;
}

/** Defaults of the sessions of the application. Earlier releases had set whether it may write: that is up to the server. */
const applicationDefaults = { ...sessionSettings, default_transaction_read_only: undefined };

/** Defaults of the sessions of each kind of role. PostgreSQL enforces them with and without a pooler. */
const defaults: Record<'application' | 'read-only', Record<string, string | number | undefined>> = {
  application: applicationDefaults,
  'read-only': {
    ...sessionSettings,
    default_transaction_read_only: 'on',
    statement_timeout: 300_000,
    // A long transaction delays migrations and the removal of old rows.
    idle_in_transaction_session_timeout: 60_000,
  },
};
type RoleKind = keyof typeof defaults;

/**
 * Creates the roles of the given URLs unless they exist, and sets their passwords, rights and time-outs. It can be
 * repeated, and must be after migrations that create tables. Returns a line for each role.
 * @throws MigrationRefused when a role would have more rights than its kind, or may not be created
 */
export async function setUpRoles(options: RoleOptions): Promise<string[]> {
  return withMigrator(options, (client) =>
    inLockedTransaction(client, options.report, async () => {
      const lines: string[] = [];
      if (options.appUrl) lines.push(await setUpRole(client, 'application', options.appUrl));
      if (options.readOnlyUrl) lines.push(await setUpRole(client, 'read-only', options.readOnlyUrl));
      return lines;
    }),
  );
}

async function setUpRole(client: Client, kind: RoleKind, url: string): Promise<string> {
  const { user: name, password: login } = readDatabaseUrl(url);
  if (name === '' || !/^[\x20-\x7e]+$/.test(login))
    throw new MigrationRefused(
      `The URL of the ${kind} role needs a user and a password of printable ASCII characters.`,
    );
  const { rows } = await client.query<{ self: boolean; mighty: boolean }>(
    `SELECT rolname = current_user AS self,
       rolsuper OR pg_has_role(rolname, current_user, 'MEMBER') AS mighty
     FROM pg_roles WHERE rolname = $1`,
    [name],
  );
  const [found] = rows;
  if (found?.self) {
    await setDefaults(client, name, applicationDefaults);
    return `The ${kind} role ${name} owns the tables: its rights are not limited.`;
  }
  if (found?.mighty)
    throw new MigrationRefused(
      `The ${kind} role ${name} is a superuser, or a member of the owner's role: its rights cannot be limited.`,
    );
  const canManage = await attempt(client, found ? 'ALTER' : 'CREATE', name, scramVerifier(login));
  if (!canManage && !found)
    throw new MigrationRefused(
      `The owner may not create the role ${name}. As a superuser, run CREATE ROLE ${quoted(name)} LOGIN PASSWORD '…', ` +
        `or ALTER ROLE … CREATEROLE for the owner, and repeat this.`,
    );
  if (canManage) await setDefaults(client, name, defaults[kind]);
  await (kind === 'application' ? grantApplication : grantReadOnly)(client, name);
  return canManage
    ? `The ${kind} role ${name} is set up.`
    : `The ${kind} role ${name} has its rights. Its password and time-outs are unchanged: the owner may not alter it.`;
}

/** Creates or alters a role; false when the owner is not permitted to. */
async function attempt(
  client: Client,
  action: 'CREATE' | 'ALTER',
  name: string,
  verifier: string,
): Promise<boolean> {
  await client.query('SAVEPOINT role');
  try {
    await client.query(`${action} ROLE ${quoted(name)} LOGIN PASSWORD '${verifier}'`);
    return true;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== '42501') throw error;
    await client.query('ROLLBACK TO SAVEPOINT role');
    return false;
  }
}

/** Makes settings the defaults of a role in this database. Those that are undefined are those of the database or the server. */
async function setDefaults(
  client: Client,
  name: string,
  settings: Record<string, string | number | undefined>,
): Promise<void> {
  const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
  for (const [setting, value] of Object.entries(settings))
    await client.query(alterRole(name, rows[0]?.database ?? '', setting, value?.toString()));
}
