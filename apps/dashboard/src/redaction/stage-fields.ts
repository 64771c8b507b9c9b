import { stageNames } from '@rewardhook/pipeline';
import type { Jobs, Stage } from '@rewardhook/pipeline';
import { shapeOf } from './shape-of.ts';

type Shown = Record<string, string | number>;

/** The fields of the jobs of each stage that are displayed. All others stay hidden. */
const shownFields: {
  [S in Stage]: {
    data(data: Partial<Record<keyof Jobs[S], unknown>>): Shown;
    result(result: Record<string, unknown>): Shown;
  };
} = {
  sync: {
    data: ({ merchantId, version, count }) => ({
      merchantId: showId(merchantId),
      version: showNumber(version),
      orders: showNumber(count),
    }),
    result: ({ orders }) => ({ orders: showNumber(orders) }),
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

/** Redacts the data or the result of a job; only the shape of an unknown value remains. */
export function showFields(queue: string, part: 'data' | 'result', value: unknown): Shown | string | null {
  if (value === undefined || value === null) return null;
  const stage = stageNames.find((name) => name === queue);
  const isRecord = typeof value === 'object' && !Array.isArray(value);
  return stage && isRecord ? shownFields[stage][part](value as Record<string, unknown>) : shapeOf(value);
}

/** Whether a value is an id of this service: `mer_` and 22 base62 characters, for example. */
export const isOwnId = (value: unknown): value is string =>
  typeof value === 'string' && /^[a-z]{3}_[0-9A-Za-z]{22}$/.test(value);

/** An id of a merchant or an endpoint; the shape of any other value. */
export function showId(value: unknown): string {
  return isOwnId(value) ? value : shapeOf(value);
}

/** A number that is not an amount: a version or a count. */
function showNumber(value: unknown): number | string {
  return typeof value === 'number' ? value : shapeOf(value);
}
