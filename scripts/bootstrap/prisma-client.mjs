import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from './dependencies.mjs';
import { step } from './steps.mjs';

/** Generates the Prisma client when it is missing or the schema has changed since. */
export async function ensurePrismaClient(root, { force = false } = {}) {
  const stamp = join(root, 'node_modules/.rewardhook-prisma-client');
  const wanted = hashOf([join(root, 'prisma/schema.prisma'), join(root, 'node_modules/prisma/package.json')]);
  const generated = existsSync(join(root, 'packages/database/src/generated/client.ts'));
  if (!force && generated && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  const prisma = join(root, 'node_modules/prisma/build/index.js');
  // Prisma would download a schema engine, which `generate` does not run. The path of any program prevents that.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  await step('prisma generate', process.execPath, [prisma, 'generate'], { cwd: root, env });
  writeFileSync(stamp, wanted);
}
