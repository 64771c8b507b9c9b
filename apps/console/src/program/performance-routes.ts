import Joi from 'joi';
import {
  readFigures,
  readToday,
  readTopReferrers,
  readVersionFigures,
  sumFigures,
} from '@rewardhook/database';
import type { Days, FiguresRow } from '@rewardhook/database';
import type { DaysView, PerformanceView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { exportCsv } from '../http/export-csv.ts';
import type { Handlers } from '../http/route.ts';
import { addDays, daysOf, isDay, lengthOf, performancePeriods } from './periods.ts';

/** The most members in the list of referrers. */
const mostReferrers = 10;

const day = () =>
  Joi.string().custom((given: string, helpers) => (isDay(given) ? given : helpers.error('not_a_day')));

const filter = { period: Joi.string().valid(...performancePeriods), from: day(), to: day() };

const toDaysView = ({ from, until }: Days): DaysView => ({ from, to: addDays(until, -1) });

export const performanceHandlers = ({ database }: ConsoleDependencies) => {
  /** The days of a filter, and each with its figures. */
  const readDays = async (merchantId: string, input: Parameters<typeof daysOf>[0]) => {
    const today = await readToday(database, merchantId);
    if (today === undefined) throw notFound();
    const { days, before } = daysOf(input, today);
    const each = Array.from({ length: lengthOf(days) }, (_, index): Days => ({
      from: addDays(days.from, index),
      until: addDays(days.from, index + 1),
    }));
    return { days, before, each };
  };
  return {
    'GET /performance': {
      input: filter,
      async handle({ merchantId, input }): Promise<PerformanceView> {
        const { days, before, each } = await readDays(merchantId, input);
        const [rows, versions, referrers] = await Promise.all([
          // In one statement, so that the sum of the days is that of the period at the same moment.
          readFigures(database, merchantId, [before, ...each]),
          readVersionFigures(database, merchantId, days),
          readTopReferrers(database, merchantId, days, mostReferrers),
        ]);
        const [figuresBefore, ...figures] = rows;
        if (!figuresBefore) throw notFound();
        return {
          ...toDaysView(days),
          figures: sumFigures(figures),
          before: { ...toDaysView(before), figures: figuresBefore },
          days: figures.map(({ cost: _cost, ...row }, index) => ({ day: each[index]?.from ?? '', ...row })),
          versions,
          referrers,
        };
      },
    },

    /** A line for each day, with a column of cost for each kind and unit. */
    'GET /performance.csv': {
      input: filter,
      async handle({ merchantId, input, response }) {
        const { each } = await readDays(merchantId, input);
        const figures = await readFigures(database, merchantId, each);
        const rows = figures.map((row, index) => ({ day: each[index]?.from ?? '', ...row }));
        const costs = sumFigures(figures).cost.map(({ type, unit }) => [
          `cost_${type}_${unit}`,
          ({ cost }: FiguresRow) => cost.find((one) => one.type === type && one.unit === unit)?.amount ?? 0,
        ]);
        const columns = {
          day: (row: (typeof rows)[number]) => row.day,
          clicks: ({ clicks }: FiguresRow) => clicks,
          new_referrals: (row: FiguresRow) => row.new_referrals,
          first_orders: (row: FiguresRow) => row.first_orders,
          rewards: ({ rewards }: FiguresRow) => rewards,
          referred_revenue: (row: FiguresRow) => row.referred_revenue,
          ...(Object.fromEntries(costs) as Record<string, (row: FiguresRow) => number>),
        };
        // There are few days, which a spreadsheet may read as days.
        const page = { items: rows, next: null };
        return exportCsv({ database, input, response }, 'performance.csv', columns, async () => page, {
          keepDigits: false,
        });
      },
    },
  } satisfies Partial<Handlers>;
};
