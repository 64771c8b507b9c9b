import type { Queryable } from '../client/client.ts';

/** The id of the installation: that of this database, which the queues that belong to it have too. */
export async function findInstallationId(database: Queryable): Promise<string> {
  const [row] = await database.query<{ id: string }>('SELECT id FROM installation');
  if (!row) throw new Error('the database has no installation id: the table "installation" is empty');
  return row.id;
}

/** Gives the database a new installation id, and returns it. */
export async function renewInstallationId(database: Queryable): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `INSERT INTO installation AS stored (id) VALUES (gen_random_uuid())
     ON CONFLICT (one) DO UPDATE SET id = excluded.id
     RETURNING id`,
  );
  return String(row?.id);
}
