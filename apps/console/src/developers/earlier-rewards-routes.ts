import { countEarlierRewards, replayCountMs, sendEarlierRewards } from '@rewardhook/database';
import type { EarlierRewardsView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuse } from '../http/console-error.ts';
import { route } from '../http/route.ts';
import { requireWebhook } from './webhook-routes.ts';

/** Milliseconds after which a request has sent enough. */
const sendMs = 5_000;

/** GET /webhooks/:id/earlier-rewards */
export const showEarlierRewards = ({ database }: ConsoleDependencies) =>
  route(
    'viewer',
    'GET',
    '/webhooks/:id/earlier-rewards',
    async ({ merchantId, params }): Promise<EarlierRewardsView> => {
      const { id, event_types: types } = await requireWebhook(database, merchantId, String(params['id']));
      if (!types.includes('reward.issue')) return { count: 0, skipped: {}, complete: true };
      return countEarlierRewards(database, merchantId, id, replayCountMs);
    },
  );

/** POST /webhooks/:id/earlier-rewards */
export const sendEarlierRewardsNow = ({ database, log }: ConsoleDependencies) =>
  route(
    'developer',
    'POST',
    '/webhooks/:id/earlier-rewards',
    async ({ merchantId, params, session }): Promise<EarlierRewardsView> => {
      const { id, event_types: types } = await requireWebhook(database, merchantId, String(params['id']));
      if (!types.includes('reward.issue')) throw refuse('webhook_without_issue');
      const sent = await sendEarlierRewards(database, merchantId, id, sendMs);
      log.info('earlier rewards sent', {
        merchantId,
        webhookId: id,
        userId: session.userId,
        count: sent.count,
      });
      return sent;
    },
    { audit: 'webhook.earlier_rewards_sent' },
  );
