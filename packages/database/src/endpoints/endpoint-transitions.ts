import type { DisabledReason } from '@rewardhook/contract';
import { insertAuditEntry, systemEntry } from '../audit/audit-entries.ts';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { run, statement } from '../client/statement.ts';
import { updateEndpointHealth } from './endpoint-health.ts';
import type { EndpointHealthUpdate } from './endpoint-health.ts';
import { disableEndpoint } from './held-deliveries.ts';
import { insertNotice } from './notices.ts';
import type { NewNotice } from './notices.ts';

/** The consequences of a change of health for the endpoint and its merchant. */
export interface EndpointTransition {
  /** Why it is disabled now; null when it is not. Its deliveries are then held. */
  disabledReason: DisabledReason | null;
  notices: NewNotice[];
}

/**
 * Stores the health of an endpoint together with its consequences, in one transaction. A merchant is notified once a
 * day of an endpoint that fails, recovers and fails again. Returns the notices that were inserted, and the endpoints that
 * have deliveries due because of them.
 */
export function recordEndpointTransition(
  database: Sql,
  update: EndpointHealthUpdate,
  { disabledReason, notices }: EndpointTransition,
): Promise<{ notified: NewNotice[]; endpointIds: string[] }> {
  const { merchantId } = update;
  const record = async (tx: Queryable) => {
    const notified: NewNotice[] = [];
    const endpointIds: string[] = [];
    if ((await updateEndpointHealth(tx, [update])) === 0) return { notified, endpointIds };
    if (disabledReason !== null && (await disableEndpoint(tx, update, disabledReason))) {
      const { endpointId: subjectId } = update;
      const details = { reason: disabledReason.code };
      await insertAuditEntry(
        tx,
        systemEntry('webhook-delivery', { action: 'webhook.disabled', merchantId, subjectId, details }),
      );
    }
    for (const notice of notices) {
      if (await alreadyNotified(tx, merchantId, notice)) continue;
      endpointIds.push(...(await insertNotice(tx, merchantId, notice)));
      notified.push(notice);
    }
    return { notified, endpointIds };
  };
  // Changes of the endpoint by its merchant lock the same rows in another order.
  return retryConflicts(() => transact(database, record));
}

const findNoticeSql = statement<{ id: string }, [merchantId: string, endpointId: string, type: string]>({
  name: 'find a notice of the last day',
  parameters: ['text', 'text', 'text'],
  columns: { id: 'text' },
  text: `
    SELECT id FROM notices
    WHERE merchant_id = $1 AND endpoint_id = $2 AND type = $3 AND created_at > now() - interval '1 day'
    LIMIT 1`,
});

/** Whether the merchant was notified within the last day that the endpoint fails. Other notices are never withheld. */
async function alreadyNotified(
  tx: Queryable,
  merchantId: string,
  { type, endpointId }: NewNotice,
): Promise<boolean> {
  if (type !== 'endpoint.failing') return false;
  return (await run(tx, findNoticeSql, [merchantId, endpointId, type])).length > 0;
}
