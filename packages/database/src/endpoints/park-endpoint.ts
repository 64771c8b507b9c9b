import type { Database, Queryable } from '../client/client.ts';
import { isoOf } from '../client/database-clock.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import type { EndpointKey } from './sendable-endpoints.ts';

/*
 * An endpoint is parked when its dispatch fails repeatedly, not because of the receiver's responses but because of its
 * own rows or of our code. Nothing is sent to it, and its deliveries stay due, until an operator retries it.
 */

const parkSql = statement<NoRow, [merchantId: string, endpointId: string, error: string]>({
  name: 'park an endpoint',
  parameters: ['text', 'text', 'text'],
  columns: {},
  text: `
    UPDATE endpoints SET parked_at = clock_timestamp(), parked_error = $3
    WHERE merchant_id = $1 AND id = $2 AND parked_at IS NULL AND deleted_at IS NULL`,
});

/** Parks an endpoint. Has no effect on one that is parked or deleted. */
export async function parkEndpoint(
  database: Queryable,
  { merchantId, endpointId }: EndpointKey,
  error: string,
): Promise<void> {
  await run(database, parkSql, [merchantId, endpointId, error.replaceAll('\0', '').slice(0, 500)]);
}

/** A parked endpoint. */
export interface ParkedEndpoint extends EndpointKey {
  /** ISO 8601 in UTC. */
  since: string;
  error: string;
}

/** Lists parked endpoints, oldest first, at most 100. */
export async function listParkedEndpoints(database: Database): Promise<ParkedEndpoint[]> {
  const parked = await database.endpoint.findMany({
    where: { parkedAt: { not: null }, deletedAt: null },
    select: { merchantId: true, id: true, parkedAt: true, parkedError: true },
    orderBy: { parkedAt: 'asc' },
    take: 100,
  });
  return parked.flatMap(({ merchantId, id: endpointId, parkedAt, parkedError }) =>
    parkedAt ? [{ merchantId, endpointId, since: isoOf(parkedAt), error: parkedError ?? '' }] : [],
  );
}

/** Unparks endpoints, of one merchant or of all. The sweeper finds their deliveries. */
export async function unparkEndpoints(
  database: Database,
  merchantId: string | undefined,
): Promise<EndpointKey[]> {
  const unparked = await database.endpoint.updateManyAndReturn({
    where: { parkedAt: { not: null }, ...(merchantId !== undefined && { merchantId }) },
    data: { parkedAt: null, parkedError: null },
    select: { merchantId: true, id: true },
  });
  return unparked.map((endpoint) => ({ merchantId: endpoint.merchantId, endpointId: endpoint.id }));
}
