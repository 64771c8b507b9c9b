import type { ProcessContext } from '@rewardhook/process';
import { cacheFor } from '@rewardhook/process';
import { measureDatabase } from '../operations/measure-database.ts';
import { openSql, probeDatabase } from './client.ts';
import type { DatabaseOptions, Sql } from './client.ts';
import { watchDatabase } from './check-database.ts';
import type { Sealer } from '../merchants/sealer.ts';

/** A check of the database, by readiness and metrics, is repeated after this time, in milliseconds. */
const probeForMs = 1_000;

export interface ConnectionSettings {
  DATABASE_URL: string;
  DATABASE_POOL_SIZE: number;
}

export interface ConnectionOptions {
  sealer?: Sealer;
  /** Whether readiness requires that the database accepts writes; default true. */
  required?: boolean;
}

/** The pool of a worker until shutdown, as {@link connect} describes. */
export function connectSql(
  settings: ConnectionSettings,
  context: ProcessContext,
  options: ConnectionOptions = {},
): Sql {
  return connect(openSql, settings, context, options);
}

/**
 * Opens the database of a process until shutdown, with its metrics. Problems with it are logged. That it accepts writes
 * is a readiness check unless `required` is false. With a sealer, the process fails when SECRETS_KEY does not open the
 * stored secrets.
 */
export function connect<Handle extends Sql>(
  open: (options: DatabaseOptions) => Handle,
  settings: ConnectionSettings,
  context: ProcessContext,
  { sealer, required = true }: ConnectionOptions,
): Handle {
  const database = open({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: `rewardhook-${context.service}`,
  });
  context.release('database', () => database.$disconnect());
  const probe = cacheFor(probeForMs, () => probeDatabase(database));
  context.check('database', probe, { required });
  measureDatabase(database, context.metrics);
  if (sealer) {
    context.status.secretsKeys = sealer.fingerprints;
    context.check('secrets_key', () => {
      if (context.status.problem === 'wrong_key')
        throw new Error('SECRETS_KEY does not open the stored secrets');
    });
  }
  watchDatabase(database, context, sealer);
  return database;
}
