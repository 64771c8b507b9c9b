import type { Queryable } from '../client/client.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';

/**
 * How far the ceiling of versions is above the highest version that is about to be stored: a minute in microseconds. So
 * it is raised about once a minute while orders are stored, however many there are.
 */
const reserve = 60_000_000;

const raiseCeilingSql = statement<NoRow, [version: number]>({
  name: 'raise the ceiling of versions',
  parameters: ['bigint'],
  columns: {},
  text: `
    INSERT INTO version_ceiling AS stored (version, raised_at) VALUES ($1, clock_timestamp())
    ON CONFLICT (id) DO UPDATE SET version = excluded.version, raised_at = excluded.raised_at
    WHERE stored.version < excluded.version`,
});

/** Raises the ceiling of versions above `version`, before orders of that version are stored. It never decreases. */
export async function raiseVersionCeiling(database: Queryable, version: number): Promise<void> {
  await run(database, raiseCeilingSql, [version + reserve]);
}

/** The ceiling of versions: no stored order has a higher one. `raisedAt` is when it was raised last. */
export interface VersionCeiling {
  version: number;
  raisedAt: Date;
}

const findCeilingSql = statement<{ version: string; raisedAt: Date }>({
  name: 'find the ceiling of versions',
  parameters: [],
  columns: { version: 'bigint', raisedAt: 'timestamp with time zone' },
  text: 'SELECT version, raised_at AS "raisedAt" FROM version_ceiling',
});

/** Finds the ceiling of versions; undefined when orders were never stored. */
export async function findVersionCeiling(database: Queryable): Promise<VersionCeiling | undefined> {
  const [row] = await run(database, findCeilingSql, []);
  return row && { version: Number(row.version), raisedAt: row.raisedAt };
}

/**
 * A version above those of all stored orders, and above those of orders that are being stored, for a source of versions
 * that has lost its last one.
 */
export async function findFreeVersion(database: Queryable): Promise<number> {
  const ceiling = await findVersionCeiling(database);
  return (ceiling?.version ?? 0) + reserve;
}
