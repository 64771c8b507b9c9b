import { migrateDatabase } from './migrate.ts';

const url = process.env['DATABASE_URL'];
if (!url) {
  console.error('DATABASE_URL is not set: give the address of the PostgreSQL database to migrate.');
  process.exit(1);
}
const applied = await migrateDatabase(url);
console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`);
process.exit(0);
