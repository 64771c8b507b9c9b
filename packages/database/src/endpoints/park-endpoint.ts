import type { Database } from '../client/client.ts';
import type { EndpointKey } from './sendable-endpoints.ts';

/*
 * An endpoint is parked when its dispatch fails repeatedly, not because of the receiver's responses but because of its
 * own rows or of our code. Nothing is sent to it, and its deliveries stay due, until an operator retries it.
 */

/** Parks an endpoint. Has no effect on one that is parked or deleted. */
export async function parkEndpoint(
  database: Database,
  { merchantId, endpointId }: EndpointKey,
  error: string,
): Promise<void> {
  await database.query(
    `UPDATE endpoints SET parked_at = clock_timestamp(), parked_error = $3
     WHERE merchant_id = $1 AND id = $2 AND parked_at IS NULL AND deleted_at IS NULL`,
    [merchantId, endpointId, error.replaceAll('\0', '').slice(0, 500)],
  );
}

/** A parked endpoint. */
export interface ParkedEndpoint extends EndpointKey {
  /** ISO 8601 in UTC. */
  since: string;
  error: string;
}

/** Lists parked endpoints, oldest first, at most 100. */
export function listParkedEndpoints(database: Database): Promise<ParkedEndpoint[]> {
  return database.query<ParkedEndpoint>(
    `SELECT merchant_id AS "merchantId", id AS "endpointId", rules.iso_utc(parked_at) AS since, parked_error AS error
     FROM endpoints WHERE parked_at IS NOT NULL AND deleted_at IS NULL ORDER BY parked_at LIMIT 100`,
  );
}

/** Unparks endpoints, of one merchant or of all. The sweeper finds their deliveries. */
export function unparkEndpoints(database: Database, merchantId: string | undefined): Promise<EndpointKey[]> {
  return database.query<EndpointKey>(
    `UPDATE endpoints SET parked_at = NULL, parked_error = NULL
     WHERE parked_at IS NOT NULL AND merchant_id = coalesce($1, merchant_id)
     RETURNING merchant_id AS "merchantId", id AS "endpointId"`,
    [merchantId ?? null],
  );
}
