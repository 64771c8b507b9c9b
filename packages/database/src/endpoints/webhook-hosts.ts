import type { Database } from '../client/client.ts';

/** The longest that a new endpoint waits for others of its host, in seconds: one that is fixed is not held up for long. */
const longestWait = 60;

/**
 * Gives the next time at which a request may go to the new endpoints of a host, at one request every `seconds`.
 * Returns the seconds until then.
 */
export async function reserveHostSlot(database: Database, host: string, seconds: number): Promise<number> {
  const [given] = await database.query<{ wait: number }>(
    `INSERT INTO webhook_hosts AS h (host, next_at) VALUES ($1, now() + make_interval(secs => $2))
     ON CONFLICT (host) DO UPDATE SET
       next_at = least(greatest(h.next_at, now()) + make_interval(secs => $2), now() + make_interval(secs => $3))
     RETURNING extract(epoch FROM next_at - now())::float8 AS wait`,
    [host, seconds, longestWait],
  );
  return given?.wait ?? seconds;
}

/** Forgets the hosts whose rate limit nobody waits for. */
export async function deleteExpiredHosts(database: Database): Promise<void> {
  await database.query(`DELETE FROM webhook_hosts WHERE next_at < now() - interval '1 minute'`, []);
}
