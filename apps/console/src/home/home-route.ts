import Joi from 'joi';
import {
  findChecklist,
  hasDeliveredReward,
  listNewestRewards,
  readFigures,
  readToday,
} from '@rewardhook/database';
import type { HomeRange, HomeView, PerformancePeriod } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';
import { daysOf } from '../program/periods.ts';

const shownRewards = 6;

const periods: Record<HomeRange, PerformancePeriod> = {
  week: 'seven_days',
  days30: 'thirty_days',
  month: 'this_month',
};

export const homeHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /home': {
      input: { range: Joi.string().valid('week', 'days30', 'month') },
      async handle({ merchantId, session, input: { range = 'days30' } }): Promise<HomeView> {
        const today = await readToday(database, merchantId);
        if (today === undefined) throw notFound();
        const { days, before } = daysOf({ period: periods[range] }, today);
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
