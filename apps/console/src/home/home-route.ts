import Joi from 'joi';
import { findChecklist, findMerchant, summarizeActivity } from '@rewardhook/database';
import type { Buckets } from '@rewardhook/database';
import type { HomeBucket, HomeRange, HomeView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

const bucketsOf: Record<HomeRange, Buckets> = {
  day: { step: '1 hour', count: 24 },
  week: { step: '6 hours', count: 28 },
  month: { step: '1 day', count: 30 },
};

export const homeHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /home': {
      input: { range: Joi.string().valid('day', 'week', 'month') },
      async handle({ merchantId, input: { range = 'week' } }): Promise<HomeView> {
        const [merchant, rows, checklist] = await Promise.all([
          findMerchant(database, merchantId),
          summarizeActivity(database, merchantId, bucketsOf[range]),
          findChecklist(database, merchantId),
        ]);
        const all = rows.pop();
        if (!merchant || !all) throw notFound();
        const { at: _at, reasons: _reasons, ...totals } = all;
        return {
          range,
          timezone: merchant.timezone,
          buckets: rows.map(({ reasons: _own, ...bucket }) => bucket as HomeBucket),
          totals,
          reasons: rows.map(({ at, reasons }) => ({ at: String(at), counts: reasons })),
          checklist,
        };
      },
    },
  }) satisfies Partial<Handlers>;
