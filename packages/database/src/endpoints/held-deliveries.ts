import type { DisabledReason } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import { run, runCounted, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import type { EndpointKey } from './sendable-endpoints.ts';

const disableSql = statement<NoRow, [merchantId: string, endpointId: string, reason: string]>({
  name: 'disable an endpoint',
  parameters: ['text', 'text', 'jsonb'],
  columns: {},
  text: `
    UPDATE endpoints SET disabled_at = now(), disabled_reason = $3::jsonb
    WHERE merchant_id = $1 AND id = $2 AND disabled_at IS NULL`,
});

const holdSql = statement<NoRow, [merchantId: string, endpointId: string]>({
  name: 'hold the deliveries of an endpoint',
  parameters: ['text', 'text'],
  columns: {},
  text: `
    UPDATE deliveries SET state = 'held', next_attempt_at = NULL, leased_until = NULL, retry_at = NULL
    WHERE merchant_id = $1 AND endpoint_id = $2 AND state = 'pending'`,
});

/** Disables an endpoint, within a transaction: its deliveries are held. False when it is disabled already. */
export async function disableEndpoint(
  tx: Queryable,
  { merchantId, endpointId }: EndpointKey,
  reason: DisabledReason,
): Promise<boolean> {
  const disabled = await runCounted(tx, disableSql, [merchantId, endpointId, JSON.stringify(reason)]);
  await run(tx, holdSql, [merchantId, endpointId]);
  return disabled === 1;
}

const releaseHeldSql = statement<EndpointKey>({
  name: 'release held deliveries',
  parameters: [],
  columns: { merchantId: 'text', endpointId: 'text' },
  text: `
    WITH open AS MATERIALIZED (
      SELECT p.merchant_id, p.id FROM endpoints p
      WHERE p.deleted_at IS NULL AND NOT p.holds_deliveries
        AND EXISTS (
          SELECT 1 FROM deliveries d
          WHERE d.merchant_id = p.merchant_id AND d.endpoint_id = p.id AND d.state = 'held')
      FOR SHARE SKIP LOCKED
    ), released AS (
      UPDATE deliveries d
      SET state = 'pending', schedule_step = 0, next_attempt_at = now(), leased_until = NULL
      FROM open
      WHERE d.merchant_id = open.merchant_id AND d.endpoint_id = open.id AND d.state = 'held'
      RETURNING d.merchant_id, d.endpoint_id
    )
    SELECT DISTINCT merchant_id AS "merchantId", endpoint_id AS "endpointId" FROM released`,
});

/**
 * Makes deliveries due that are held although their endpoint is neither paused nor disabled: an evaluation that read it
 * as paused or disabled was committed after it was resumed or enabled. Returns the endpoints that have deliveries due now.
 */
export function releaseHeldDeliveries(database: Queryable): Promise<EndpointKey[]> {
  return run(database, releaseHeldSql, []);
}

const cancelOfDeletedSql = statement({
  name: 'cancel deliveries to deleted endpoints',
  parameters: [],
  columns: {},
  text: `
    WITH deleted AS MATERIALIZED (
      SELECT p.merchant_id, p.id FROM endpoints p
      WHERE p.deleted_at > now() - interval '1 hour'
        AND (
          EXISTS (
            SELECT 1 FROM deliveries d
            WHERE d.merchant_id = p.merchant_id AND d.endpoint_id = p.id AND d.state = 'pending')
          OR EXISTS (
            SELECT 1 FROM deliveries d
            WHERE d.merchant_id = p.merchant_id AND d.endpoint_id = p.id AND d.state = 'held'))
    )
    UPDATE deliveries d
    SET state = 'cancelled', next_attempt_at = NULL, leased_until = NULL, finished_at = now()
    FROM deleted
    WHERE d.merchant_id = deleted.merchant_id AND d.endpoint_id = deleted.id AND d.state IN ('pending', 'held')`,
});

/**
 * Cancels the deliveries to endpoints that were deleted in the last hour: an evaluation that read the endpoint before was
 * committed after its deletion. Returns how many deliveries were cancelled.
 */
export function cancelDeliveriesOfDeletedEndpoints(database: Queryable): Promise<number> {
  return runCounted(database, cancelOfDeletedSql, []);
}
