import { newId } from '@rewardhook/contract';
import type { EndpointNoticeData, EndpointNoticeEvent } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import { eventTime, readClock } from '../client/timestamps.ts';
import { insertEvents } from '../rewards/reward-rows.ts';

/** The stages of a failing endpoint that its merchant is told of; each is an event type too. */
export type NoticeType = EndpointNoticeEvent['type'];

/** A notice about an endpoint of the merchant. */
export interface NewNotice {
  type: NoticeType;
  endpointId: string;
  data: EndpointNoticeData;
}

/** After three days a notice says nothing that still holds: the endpoint is well again, or the next stage was told. */
const expiresInSeconds = 3 * 86_400;

/**
 * Adds a notice, within the transaction that makes it true: its row, from which it is mailed, and its event for the
 * merchant's other endpoints that registered the type; the failing one is not told of itself. Returns the endpoints
 * that have something to be sent.
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
    [{ id, type, rewardId: null, body: JSON.stringify(event), announce: true, at }],
    { exceptEndpointId: endpointId, expiresInSeconds },
  );
}
