import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { projectRoot } from '@rewardhook/local-stack';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Generates the Prisma client of the naive implementation and creates an empty database for it. Returns the
 * database's URL.
 */
export async function prepareNaive(databaseUrl: string): Promise<string> {
  await generateClient();
  const name = 'bench_naive';
  const url = new URL(databaseUrl);
  await withClient(databaseUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name}`);
  });
  url.pathname = `/${name}`;
  await withClient(url.href, (client) => client.query(readFileSync(file('./tables.sql'), 'utf8')));
  return url.href;
}

async function generateClient(): Promise<void> {
  const [schema, client] = [file('./schema.prisma'), file('./generated/client.ts')];
  if (existsSync(client) && statSync(client).mtimeMs > statSync(schema).mtimeMs) return;
  const prisma = ['node_modules/prisma/build/index.js', 'generate', '--schema', schema];
  // Prisma would download a schema engine, which `generate` does not run. The path of any program prevents that.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  await promisify(execFile)(process.execPath, prisma, { cwd: projectRoot, env });
}

async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
