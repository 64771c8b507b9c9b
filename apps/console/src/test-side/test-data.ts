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
 * DELETE /test/test-data: requests the deletion of all members, referrals, orders, rewards, events and deliveries of the
 * test side. A worker deletes them within seconds to minutes.
 */
export const wipeTestData = ({ database, log }: ConsoleDependencies) =>
  route(
    'owner',
    'DELETE',
    '/test-data',
    async ({ merchantId, session }): Promise<TestDataView> => {
      if (!(await requestWipe(database, merchantId))) throw notFound();
      log.info('deletion of test data requested', { merchantId, userId: session.userId });
      return readTestData(database, merchantId);
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
