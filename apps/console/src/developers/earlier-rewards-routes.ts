import { countEarlierRewards, replayCountMs, sendEarlierRewards } from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { requireWebhook } from './webhook-routes.ts';

/** Milliseconds after which a request has sent enough. */
const sendMs = 5_000;

/** Confirmed rewards of which no webhook was notified, because none had registered for `reward.issue`. */
export const earlierRewardHandlers = ({ database, log }: ConsoleDependencies) =>
  ({
    async 'GET /webhooks/:id/earlier-rewards'({ merchantId, params }) {
      const { id, event_types: types } = await requireWebhook(database, merchantId, params.id);
      if (!types.includes('reward.issue')) return { count: 0, skipped: {}, complete: true };
      return countEarlierRewards(database, merchantId, id, replayCountMs);
    },

    async 'POST /webhooks/:id/earlier-rewards'({ merchantId, params, session }) {
      const { id, event_types: types } = await requireWebhook(database, merchantId, params.id);
      if (!types.includes('reward.issue')) throw refuse('webhook_without_issue');
      const sent = await sendEarlierRewards(database, merchantId, id, sendMs);
      const { count } = sent;
      log.info('earlier rewards sent', { merchantId, webhookId: id, userId: session.userId, count });
      return sent;
    },
  }) satisfies Partial<Handlers>;
