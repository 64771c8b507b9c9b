import type { ProcessContext } from '@rewardhook/process';
import { openDatabase, pingDatabase } from './client.ts';
import type { Database } from './client.ts';
import { watchDatabase } from './check-database.ts';
import type { Sealer } from '../merchants/sealer.ts';

/**
 * Opens the database of a process until shutdown. Problems with it are logged, and it is a readiness check unless
 * `required` is false. With a sealer, the process fails when SECRETS_KEY does not open the stored secrets.
 */
export function connectDatabase(
  settings: { DATABASE_URL: string; DATABASE_POOL_SIZE: number },
  context: ProcessContext,
  { sealer, required = true }: { sealer?: Sealer; required?: boolean } = {},
): Database {
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: `rewardhook-${context.service}`,
  });
  context.release('database', () => database.$disconnect());
  if (required) context.check('database', () => pingDatabase(database));
  watchDatabase(database, context, sealer);
  return database;
}
