import { openSchemaEngine } from './schema-engine.ts';

/** All tables are managed by the migrations. */
const noFilters = { externalTables: [], externalEnums: [] };

/**
 * Returns the SQL that changes one Prisma schema into another; an empty `from` is an empty database. The engine needs a
 * connection to any PostgreSQL; it changes nothing there.
 */
export async function schemaDifference(databaseUrl: string, from: string, to: string): Promise<string> {
  const engine = await openSchemaEngine(databaseUrl);
  const schema = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: 'schema.prisma', content }],
  });
  try {
    const { stdout } = await engine.diff({
      from: from === '' ? { tag: 'empty' } : schema(from),
      to: schema(to),
      script: true,
      exitCode: null,
      filters: noFilters,
    });
    return stdout ?? '';
  } finally {
    engine.free();
  }
}
