import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrationsFolder, schemaDifference } from '@rewardhook/database';

// Writes the SQL that changes the committed prisma/schema.prisma into the one of the working tree, without a network.
// Review it, and add what Prisma cannot express.
const [name] = process.argv.slice(2);
const url = process.env['DATABASE_URL'];
if (!name || !url) {
  console.error(
    'Usage: DATABASE_URL=postgresql://… node --import tsx -C source scripts/create-migration.ts <name>',
  );
  process.exit(1);
}
const before = execFileSync('git', ['show', 'HEAD:prisma/schema.prisma'], { encoding: 'utf8' });
const sql = await schemaDifference(
  url,
  before,
  readFileSync(join(migrationsFolder, '../schema.prisma'), 'utf8'),
);
const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
const folder = join(migrationsFolder, `${stamp}_${name}`);
mkdirSync(folder);
writeFileSync(join(folder, 'migration.sql'), sql);
console.log(folder);
process.exit(0);
