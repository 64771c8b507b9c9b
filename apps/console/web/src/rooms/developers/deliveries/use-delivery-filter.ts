import type { DeliveryFilter, DeliveryState } from '../../../data/types.ts';
import { useDayRange } from '../../../ui/use-day-range.ts';
import { useQueryState } from '../../../ui/use-query-state.ts';

export const deliveryStates = [
  'pending',
  'held',
  'delivered',
  'exhausted',
  'cancelled',
] as const satisfies DeliveryState[];

/** The filter in the URL. Values that are not set are omitted. */
export function useDeliveryFilter(): DeliveryFilter {
  const [get] = useQueryState();
  const days = useDayRange();
  const state = deliveryStates.find((one) => one === get('state'));
  const named = ['endpoint_id', 'event_type', 'search'].flatMap((name) => {
    const value = get(name);
    return value ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(named), ...(state ? { state } : {}), ...days };
}
