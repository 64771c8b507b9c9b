import { deriveId, eventMode, modeOf } from '@rewardhook/contract';
import type { EndpointNoticeData, EndpointNoticeEvent } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import { runCounted, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
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

const insertNoticeSql = statement<
  NoRow,
  [merchantId: string, id: string, endpointId: string, type: string, data: string, mode: string]
>({
  name: 'insert a notice',
  parameters: ['text', 'text', 'text', 'text', 'jsonb', 'text'],
  columns: {},
  text: `
    INSERT INTO notices (merchant_id, id, endpoint_id, type, data, mailed_at)
    VALUES ($1, $2, $3, $4, $5::jsonb, CASE $6 WHEN 'test' THEN now() END)
    ON CONFLICT DO NOTHING`,
});

/**
 * Inserts a notice, within the transaction that changes the endpoint: a row to be mailed (not for a test side), and an event for the
 * merchant's other endpoints that registered the type. The failing endpoint does not receive it. Returns the
 * endpoints that have deliveries due. The ids follow from what the notice says, so that one that is inserted again after
 * a restore is recognized; a second one about the same failure is not inserted.
 */
export async function insertNotice(
  tx: Queryable,
  merchantId: string,
  { type, endpointId, data }: NewNotice,
): Promise<string[]> {
  const noticeId = deriveId('ntc', endpointId, type, data.failing_since);
  const notice = [merchantId, noticeId, endpointId, type, JSON.stringify(data), modeOf(merchantId)] as const;
  const added = await runCounted(tx, insertNoticeSql, [...notice]);
  if (added === 0) return [];
  const id = deriveId('evt', noticeId);
  const at = await readClock(tx);
  const event: EndpointNoticeEvent = {
    id,
    type,
    created_at: eventTime(at),
    ...eventMode(merchantId),
    data,
  };
  return insertEvents(
    tx,
    merchantId,
    [{ id, type, rewardId: null, body: JSON.stringify(event), deliver: true, at }],
    { exceptEndpointId: endpointId, expiresInSeconds },
  );
}
