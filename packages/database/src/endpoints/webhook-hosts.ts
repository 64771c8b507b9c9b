import type { Queryable } from '../client/client.ts';

/**
 * The longest backoff of a new endpoint because of others on its host, in seconds, so that a receiver that was fixed
 * is soon tried again.
 */
const maxWaitSeconds = 60;

/**
 * Reserves the next request to the new endpoints of a host, which share one request every `seconds`. Returns the seconds
 * until then.
 */
export async function reserveHostSlot(database: Queryable, host: string, seconds: number): Promise<number> {
  const [slot] = await database.query<{ wait: number }>(
    `INSERT INTO webhook_hosts AS h (host, next_at) VALUES ($1, now() + make_interval(secs => $2))
     ON CONFLICT (host) DO UPDATE SET next_at = least(
       greatest(h.next_at, now()) + make_interval(secs => $2),
       now() + make_interval(secs => $3)
     )
     RETURNING extract(epoch FROM next_at - now())::float8 AS wait`,
    [host, seconds, maxWaitSeconds],
  );
  return slot?.wait ?? seconds;
}

/** Deletes the hosts whose last reserved time has passed. */
export async function deleteExpiredHosts(database: Queryable): Promise<void> {
  await database.query(`DELETE FROM webhook_hosts WHERE next_at < now() - interval '1 minute'`);
}
