import type { Queryable } from '../client/client.ts';
import { run, statement } from '../client/statement.ts';

/**
 * The longest backoff of a new endpoint because of others on its host, in seconds, so that a receiver that was fixed
 * is soon tried again.
 */
const maxWaitSeconds = 60;

const reserveSql = statement<{ wait: number }, [host: string, seconds: number, maxWaitSeconds: number]>({
  name: 'reserve a request to a host',
  parameters: ['text', 'double precision', 'double precision'],
  columns: { wait: 'double precision' },
  text: `
    INSERT INTO webhook_hosts AS h (host, next_at) VALUES ($1, now() + make_interval(secs => $2))
    ON CONFLICT (host) DO UPDATE SET next_at = least(
      greatest(h.next_at, now()) + make_interval(secs => $2),
      now() + make_interval(secs => $3)
    )
    RETURNING extract(epoch FROM next_at - now())::float8 AS wait`,
});

/**
 * Reserves the next request to the new endpoints of a host, which share one request every `seconds`. Returns the seconds
 * until then.
 */
export async function reserveHostSlot(database: Queryable, host: string, seconds: number): Promise<number> {
  const [slot] = await run(database, reserveSql, [host, seconds, maxWaitSeconds]);
  return slot?.wait ?? seconds;
}

const deleteExpiredSql = statement({
  name: 'delete expired hosts',
  parameters: [],
  columns: {},
  text: `DELETE FROM webhook_hosts WHERE next_at < now() - interval '1 minute'`,
});

/** Deletes the hosts whose last reserved time has passed. */
export async function deleteExpiredHosts(database: Queryable): Promise<void> {
  await run(database, deleteExpiredSql, []);
}
