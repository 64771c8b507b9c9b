import { stageNames } from '@rewardhook/pipeline';
import type { Jobs, Stage } from '@rewardhook/pipeline';
import { describeShape } from './describe-shape.ts';
import { showCount, showId, showNumber } from './show.ts';

type Shown = Record<string, string | number>;

/** What the jobs of each stage show. All else of them stays hidden. */
const shownFields: {
  [S in Stage]: {
    data(data: Partial<Record<keyof Jobs[S], unknown>>): Shown;
    result(result: Record<string, unknown>): Shown;
  };
} = {
  sync: {
    data: ({ merchantId, version, orders }) => ({
      merchantId: showId(merchantId),
      version: showNumber(version),
      orders: showCount(orders),
    }),
    result: ({ orders, toEvaluate }) => ({ orders: showNumber(orders), toEvaluate: showNumber(toEvaluate) }),
  },
  'reward-evaluation': {
    data: ({ merchantId, orders }) => ({ merchantId: showId(merchantId), orders: showNumber(orders) }),
    result: ({ evaluated }) => ({ evaluated: showNumber(evaluated) }),
  },
  'webhook-delivery': {
    data: ({ merchantId, endpointId }) => ({
      merchantId: showId(merchantId),
      endpointId: showId(endpointId),
    }),
    result: ({ attempts, delivered }) => ({
      attempts: showNumber(attempts),
      delivered: showNumber(delivered),
    }),
  },
};

/** Shows the data or the result of a job of a queue; of what is not known its shape only. */
export function showFields(queue: string, part: 'data' | 'result', value: unknown): Shown | string | null {
  if (value === undefined || value === null) return null;
  const stage = stageNames.find((name) => name === queue);
  const isRecord = typeof value === 'object' && !Array.isArray(value);
  return stage && isRecord
    ? shownFields[stage][part](value as Record<string, unknown>)
    : describeShape(value);
}
