import { useQuery } from '@tanstack/react-query';
import { change, read } from './request.ts';
import type { DeliveryItem, DeliveryQuery, DeliveryView } from './types.ts';
import { useChange } from './use-change.ts';
import { usePages } from './use-pages.ts';

export type DeliveryFilter = Omit<DeliveryQuery, 'after' | 'limit'>;

export const useDeliveries = (filter: DeliveryFilter) => usePages<DeliveryItem>('/deliveries', filter, 3_000);

export function useDelivery(id: string) {
  return useQuery({
    queryKey: ['/deliveries', 'one', id],
    queryFn: () => read<DeliveryView>(`/deliveries/${id}`),
    refetchInterval: 2_000,
  });
}

export const useRetryDelivery = (id: string) =>
  useChange<void, DeliveryView>(
    () => change<DeliveryView>('POST', `/deliveries/${id}/retry`),
    [['/deliveries'], ['/webhooks']],
  );
