import { findWipe, requestWipe } from '@rewardhook/database';
import type { TestDataView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

export const testDataHandlers = ({ database, sealer, log }: ConsoleDependencies) =>
  ({
    'GET /test-data': ({ merchantId }) => readTestData(database, merchantId),

    /**
     * Deletes all members, referrals, orders, rewards, events and deliveries of the test side. It has none from then on;
     * housekeeping deletes the rows within seconds to minutes.
     */
    async 'DELETE /test-data'({ merchantId, session }) {
      const newMerchantId = await requestWipe(database, sealer, merchantId);
      if (newMerchantId === undefined) throw notFound();
      log.info('deletion of test data requested', { merchantId, newMerchantId, userId: session.userId });
      return readTestData(database, newMerchantId);
    },
  }) satisfies Partial<Handlers>;

async function readTestData(
  database: ConsoleDependencies['database'],
  merchantId: string,
): Promise<TestDataView> {
  const { requestedAt, wipedAt } = await findWipe(database, merchantId);
  return { deleting_since: requestedAt, deleted_at: wipedAt };
}
