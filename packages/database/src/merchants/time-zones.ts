import { isTimeZone } from '@rewardhook/contract';
import type { Database } from '../client/client.ts';

/** A time zone that cannot be used: Node or PostgreSQL does not know it, or not under this name. */
export class UnknownTimeZone extends Error {}

/** PostgreSQL reads a file for each zone it lists, so the list is kept; it changes with an upgrade only. */
const listed = new WeakMap<Database, Promise<Set<string>>>();

/** The names of time zones that both Node and PostgreSQL know, in the spelling of the IANA. */
export function listTimeZones(database: Database): Promise<Set<string>> {
  const known = listed.get(database);
  if (known) return known;
  const reading = readTimeZones(database);
  listed.set(database, reading);
  reading.catch(() => listed.delete(database));
  return reading;
}

async function readTimeZones(database: Database): Promise<Set<string>> {
  const rows = await database.query<{ name: string }>('SELECT name FROM pg_timezone_names', []);
  return new Set(rows.map(({ name }) => name).filter(isTimeZone));
}

/** @throws UnknownTimeZone */
export async function requireTimeZone(database: Database, name: string): Promise<void> {
  if (!(await listTimeZones(database)).has(name)) throw new UnknownTimeZone();
}

/** Merchants whose time zone cannot be used: it was set before it was checked, or by hand. Those count as UTC. */
export async function findBadTimeZones(
  database: Database,
): Promise<{ merchantId: string; timezone: string }[]> {
  const known = await listTimeZones(database);
  const used = await database.query<{ timezone: string }>('SELECT DISTINCT timezone FROM merchants', []);
  const bad = used.map(({ timezone }) => timezone).filter((name) => !known.has(name));
  if (bad.length === 0) return [];
  return database.query(
    'SELECT id AS "merchantId", timezone FROM merchants WHERE timezone = ANY($1) ORDER BY id LIMIT 100',
    [bad],
  );
}
