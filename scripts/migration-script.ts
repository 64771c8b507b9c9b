import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/local-stack';

/**
 * The folders of prisma/sql in the order in which their files run, after the tables: PostgreSQL checks the bodies of
 * functions in SQL when it creates them, a partition copies the indexes of its table, and indexes and triggers use functions.
 */
const folders = ['views', 'functions', 'indexes', 'partitions', 'checks', 'storage', 'triggers', 'rows'];

/** The contents of the files of prisma/sql by their paths in it, such as `checks/orders.sql`, in the order in which they run. */
export function readSqlFiles(): Map<string, string> {
  const root = join(projectRoot, 'prisma/sql');
  return new Map(
    folders.flatMap((folder) =>
      readdirSync(join(root, folder))
        .toSorted()
        .map((file) => [`${folder}/${file}`, readFileSync(join(root, folder, file), 'utf8')] as const),
    ),
  );
}

/** The SQL that Prisma writes for schema.prisma, without the keys of relations that PostgreSQL does not enforce. */
const enforced = (tables: string): string =>
  tables.replaceAll(/-- (?:Add|Drop)ForeignKey\n[^;]* CONSTRAINT "unenforced_[^;]*;\n*/g, '');

/**
 * Makes the script of the initial migration.
 * @param tables the SQL that Prisma writes for schema.prisma
 * @param files those of prisma/sql
 */
export function initialScript(tables: string, files: Map<string, string>): string {
  let script = enforced(tables);
  const parts: string[] = [];
  for (const [path, sql] of files) {
    const [, table] = /^partitions\/(\w+)\.sql$/.exec(path) ?? [];
    if (table === undefined) parts.push(titled(path, sql));
    else {
      const [, comment = '', clause = '', rest = ''] =
        /^((?:--.*\n)*)(PARTITION BY [^;]+);\n([^]*)$/.exec(sql) ?? [];
      script = partitioned(script, table, comment, clause);
      parts.push(titled(path, rest.trimStart()));
    }
  }
  return `-- Written by "npm run migration" from prisma/schema.prisma and prisma/sql.

-- Functions and views are kept apart from the tables.
CREATE SCHEMA rules;

${script.trim()}

${parts.join('\n')}`;
}

/**
 * Makes the script of a later migration, which a person completes: a changed function, view or trigger replaces the one
 * before, all else has to be written.
 * @param tables the SQL that Prisma writes for the change of schema.prisma
 * @param before the files of prisma/sql before the change
 * @param after those now
 */
export function laterScript(tables: string, before: Map<string, string>, after: Map<string, string>): string {
  const changed = [...after].filter(([path, sql]) => before.get(path) !== sql);
  const removed = [...before.keys()].filter((path) => !after.has(path));
  return [
    enforced(tables).trim(),
    ...changed.map(([path, sql]) => titled(path, sql)),
    ...removed.map((path) => `-- prisma/sql/${path} was removed: drop what it created.\n`),
  ].join('\n\n');
}

const titled = (path: string, sql: string) => `-- prisma/sql/${path}\n${sql}`;

function partitioned(script: string, table: string, comment: string, clause: string): string {
  const start = script.indexOf(`CREATE TABLE "${table}" (`);
  const end = script.indexOf('\n);', start);
  if (start < 0 || clause === '') throw new Error(`prisma/sql/partitions/${table}.sql belongs to no table`);
  return `${script.slice(0, start)}${comment}${script.slice(start, end)}\n) ${clause};${script.slice(end + 3)}`;
}
