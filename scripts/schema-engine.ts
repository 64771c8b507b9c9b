import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';

type Exports = Record<string, () => void>;

interface Glue {
  __wbg_set_wasm(exports: Exports): void;
  SchemaEngine: {
    new: (options: object, debug: (message: string) => void, adapter: object) => Promise<SchemaEngine>;
  };
}

/** Part of Node, but not of the types of Node 20. */
interface Wasm {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: Record<string, Glue>) => { exports: Exports };
}

/**
 * Returns the SQL that changes one Prisma schema into another; an empty `from` is an empty database. Only for writing
 * migrations: Prisma's schema engine as WebAssembly needs no downloaded binary. It connects to any PostgreSQL, and
 * changes nothing there.
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
      // All tables are managed by the migrations.
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout ?? '';
  } finally {
    engine.free();
  }
}

/** Opens the engine. It is instantiated here because Node 20 cannot import the `.wasm` entry of the package. */
async function openSchemaEngine(databaseUrl: string): Promise<SchemaEngine> {
  const gluePath = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const glue = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as Glue;
  const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
  const module = new Module(readFileSync(join(dirname(gluePath), 'schema_engine_bg.wasm')));
  const { exports } = new Instance(module, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(exports);
  exports['__wbindgen_start']?.();
  const { bindMigrationAwareSqlAdapterFactory } = await import('@prisma/driver-adapter-utils');
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: databaseUrl }));
  return glue.SchemaEngine.new({ datamodels: undefined }, () => undefined, adapter);
}
