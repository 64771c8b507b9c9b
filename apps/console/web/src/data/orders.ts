import { useQuery } from '@tanstack/react-query';
import { read } from './request.ts';
import type { OrderResponse, OrderListItem } from './types.ts';
import { usePages } from './use-pages.ts';

export const useOrders = (query: { search?: string; member_id?: string }) =>
  usePages<OrderListItem>('/orders', query, 5_000);

export function useOrder(orderId: string) {
  return useQuery({
    queryKey: ['/orders', 'one', orderId],
    queryFn: () => read<OrderResponse>(`/orders/${encodeURIComponent(orderId)}`),
    refetchInterval: 5_000,
  });
}
