import { isTimeZone } from '@rewardhook/contract';
import type { Sql } from '../client/client.ts';

/** A time zone that Node or PostgreSQL does not know by this name. */
export class UnknownTimeZone extends Error {}

/** The lists are cached: PostgreSQL reads a file for each zone, and a list changes only with an upgrade. */
const listed = new WeakMap<Sql, Promise<Set<string>>>();

/** Lists the names of time zones that both Node and PostgreSQL know, as the IANA spells them. */
export function listTimeZones(database: Sql): Promise<Set<string>> {
  const known = listed.get(database);
  if (known) return known;
  const reading = readTimeZones(database);
  listed.set(database, reading);
  reading.catch(() => listed.delete(database));
  return reading;
}

async function readTimeZones(database: Sql): Promise<Set<string>> {
  const rows = await database.query<{ name: string }>('SELECT name FROM pg_timezone_names', []);
  return new Set(rows.map(({ name }) => name).filter(isTimeZone));
}

/** Checks the name of a time zone. @throws UnknownTimeZone */
export async function requireTimeZone(database: Sql, name: string): Promise<void> {
  if (!(await listTimeZones(database)).has(name)) throw new UnknownTimeZone();
}

/** Lists merchants with an unknown time zone, which was set by hand or before an upgrade. UTC is used for them. */
export async function findBadTimeZones(database: Sql): Promise<{ merchantId: string; timezone: string }[]> {
  const known = await listTimeZones(database);
  const used = await database.query<{ timezone: string }>('SELECT DISTINCT timezone FROM merchants', []);
  const bad = used.map(({ timezone }) => timezone).filter((name) => !known.has(name));
  if (bad.length === 0) return [];
  return database.query(
    'SELECT id AS "merchantId", timezone FROM merchants WHERE timezone = ANY($1) ORDER BY id LIMIT 100',
    [bad],
  );
}
