import { newId } from '@rewardhook/contract';
import type { EndpointNoticeData, EndpointNoticeEvent } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import { eventTime, readClock } from '../client/timestamps.ts';
import { insertEvents } from '../events/insert-events.ts';
import type { NoticeType } from '../states.ts';

/** A notice about an endpoint of the merchant. */
export interface NewNotice {
  type: NoticeType;
  endpointId: string;
  data: EndpointNoticeData;
}

/** After three days a notice is outdated: the endpoint has recovered, or the next stage was notified. */
const expiresInSeconds = 3 * 86_400;

/**
 * Inserts a notice, within the transaction that changes the endpoint: a row to be mailed, and an event for the
 * merchant's other endpoints that registered the type. The failing endpoint does not receive it. Returns the
 * endpoints that have deliveries due.
 */
export async function insertNotice(
  tx: Queryable,
  merchantId: string,
  { type, endpointId, data }: NewNotice,
): Promise<string[]> {
  await tx.query(
    `INSERT INTO notices (merchant_id, id, endpoint_id, type, data) VALUES ($1, $2, $3, $4, $5::jsonb)`,
    [merchantId, newId('ntc'), endpointId, type, JSON.stringify(data)],
  );
  const id = newId('evt');
  const at = await readClock(tx);
  const event: EndpointNoticeEvent = { id, type, created_at: eventTime(at), data };
  return insertEvents(
    tx,
    merchantId,
    [{ id, type, rewardId: null, body: JSON.stringify(event), deliver: true, at }],
    { exceptEndpointId: endpointId, expiresInSeconds },
  );
}
