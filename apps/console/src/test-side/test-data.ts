import { findWipe, requestWipe } from '@rewardhook/database';
import type { TestDataView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { route } from '../http/route.ts';

/** GET /test/test-data: whether the data of the test side is being deleted, and when it last was. */
export const showTestData = ({ database }: ConsoleDependencies) =>
  route('viewer', 'GET', '/test-data', ({ merchantId }) => readTestData(database, merchantId), {
    side: 'test',
  });

/**
 * DELETE /test/test-data: deletes all members, referrals, orders, rewards, events and deliveries of the test side. It has none
 * from then on; housekeeping deletes the rows within seconds to minutes.
 */
export const wipeTestData = ({ database, sealer, log }: ConsoleDependencies) =>
  route(
    'owner',
    'DELETE',
    '/test-data',
    async ({ merchantId, session }): Promise<TestDataView> => {
      const newMerchantId = await requestWipe(database, sealer, merchantId);
      if (newMerchantId === undefined) throw notFound();
      log.info('deletion of test data requested', { merchantId, newMerchantId, userId: session.userId });
      return readTestData(database, newMerchantId);
    },
    { side: 'test', status: 202, audit: 'test_data.wiped' },
  );

async function readTestData(
  database: ConsoleDependencies['database'],
  merchantId: string,
): Promise<TestDataView> {
  const { requestedAt, wipedAt } = await findWipe(database, merchantId);
  return { deleting_since: requestedAt, deleted_at: wipedAt };
}
