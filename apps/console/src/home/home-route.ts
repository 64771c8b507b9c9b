import Joi from 'joi';
import {
  findChecklist,
  findMerchant,
  hasDeliveredReward,
  listNewestRewards,
  readFigures,
} from '@rewardhook/database';
import type { HomeView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { homeDays } from './home-days.ts';

const shownRewards = 6;

export const homeHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /home': {
      input: { range: Joi.string().valid('week', 'days30', 'month') },
      async handle({ merchantId, session, input: { range = 'days30' } }): Promise<HomeView> {
        const merchant = await findMerchant(database, merchantId);
        if (!merchant) throw notFound();
        const { days, before } = homeDays(range, merchant.timezone);
        const [[figures, figuresBefore], rewards, isSetUp] = await Promise.all([
          readFigures(database, merchantId, [days, before]),
          listNewestRewards(database, merchantId, shownRewards),
          hasDeliveredReward(database, session.merchantId),
        ]);
        if (!figures || !figuresBefore) throw notFound();
        const checklist = isSetUp ? null : await findChecklist(database, merchantId);
        return { range, days, figures, before, figures_before: figuresBefore, rewards, checklist };
      },
    },
  }) satisfies Partial<Handlers>;
