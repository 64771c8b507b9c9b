import type { Client } from 'pg';

/** Tables in which the application only inserts, and reads what it inserted. */
const appendOnlyTables = new Set(['audit_entries']);

/** Tables that only the migrator writes. */
const readOnlyTables = new Set(['_prisma_migrations']);

/** Columns that hold a secret or what proves one, not when a password was entered. The read-only role cannot read them. */
const secretColumn = /secret$|password(?!_at$)|token|sha256|salt|verifier/;

/** A table of the schema `public`, without partitions: they are reached through their table. */
interface Table {
  name: string;
  columns: string[];
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
     GROUP BY c.oid ORDER BY 1`,
  );
  return rows;
}

async function connectStatements(client: Client, role: string): Promise<string[]> {
  const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
  return [`GRANT CONNECT ON DATABASE ${quoted(rows[0]?.database ?? '')} TO ${role}`];
}

/** What the application may do: read and change rows, and call the functions of the schema. No DDL, no TRUNCATE. */
export async function grantApplication(client: Client, name: string): Promise<void> {
  const role = quoted(name);
  const rightsIn = (table: string) => {
    if (readOnlyTables.has(table)) return 'SELECT';
    return appendOnlyTables.has(table) ? 'SELECT, INSERT' : 'SELECT, INSERT, UPDATE, DELETE';
  };
  const tables = await listTables(client);
  const statements = [
    ...(await connectStatements(client, role)),
    'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
    `GRANT USAGE ON SCHEMA public, rules TO ${role}`,
    ...tables.map((table) => `REVOKE ALL ON ${quoted(table.name)} FROM ${role}`),
    ...tables.map((table) => `GRANT ${rightsIn(table.name)} ON ${quoted(table.name)} TO ${role}`),
    `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
    // Views, such as the one that lists the partitions.
    `GRANT SELECT ON ALL TABLES IN SCHEMA rules TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA rules GRANT SELECT ON TABLES TO ${role}`,
    // Some of them run with the rights of the owner, such as those that create and drop partitions.
    'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA rules FROM PUBLIC',
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rules TO ${role}`,
    // For what later migrations create, until the rights are set again.
    `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA rules GRANT SELECT ON TABLES TO ${role}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA rules GRANT EXECUTE ON FUNCTIONS TO ${role}`,
  ];
  for (const statement of statements) await client.query(statement);
}

/** What support and reports may do: read all tables, without the columns of secrets. */
export async function grantReadOnly(client: Client, name: string): Promise<void> {
  const role = quoted(name);
  const tables = await listTables(client);
  const statements = [
    ...(await connectStatements(client, role)),
    `GRANT USAGE ON SCHEMA public TO ${role}`,
    ...tables.map((table) => `REVOKE ALL ON ${quoted(table.name)} FROM ${role}`),
    ...tables.map(({ name: table, columns }) => {
      const readable = columns.filter((column) => !secretColumn.test(column));
      const list = readable.length === columns.length ? '' : ` (${readable.map(quoted).join(', ')})`;
      return `GRANT SELECT${list} ON ${quoted(table)} TO ${role}`;
    }),
  ];
  for (const statement of statements) await client.query(statement);
}
