import { readRefusedRequests, connectProducer, disconnect } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { syncPath } from '../harness/call-api.ts';
import { testLog } from '../harness/test-log.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

/** Sends 12 invalid requests of a merchant, and waits until the API has counted them in Redis. */
export async function refuseRequests(
  { environment: { redisUrl, prefix }, call }: Flow,
  { id, secretKey }: Merchant,
): Promise<void> {
  for (let sent = 0; sent < 12; sent += 1)
    await call(syncPath, { orders: [{ order_id: 1 }] }, { key: secretKey });
  const redis = connectProducer(redisUrl, testLog);
  try {
    await waitFor(() => redis.status === 'ready', { everyMs: 5 });
    const counted = async () =>
      (await readRefusedRequests(redis, prefix)).some(
        ({ merchantId, number }) => merchantId === id && number === 12,
      );
    await waitFor(counted, { deadlineMs: 20_000, what: 'the count of refused requests' });
  } finally {
    await disconnect(redis);
  }
}
