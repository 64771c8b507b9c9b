import type { ProcessContext } from '@rewardhook/process';
import type { Database } from './client.ts';
import { connect } from './connect-sql.ts';
import type { ConnectionOptions, ConnectionSettings } from './connect-sql.ts';
import { openDatabase } from './prisma.ts';

/** Prisma's client and the pool of a process until shutdown, as `connect` describes. */
export function connectDatabase(
  settings: ConnectionSettings,
  context: ProcessContext,
  options: ConnectionOptions = {},
): Database {
  return connect(openDatabase, settings, context, options);
}
