import { useQuery } from '@tanstack/react-query';
import { change, read } from './request.ts';
import type {
  ChangeWebhookRequest,
  EarlierRewardsView,
  EventType,
  NewWebhookRequest,
  WebhookTestRequest,
  WebhookCertifyResponse,
  WebhookTestResponse,
  WebhookView,
} from './types.ts';
import { useChange } from './use-change.ts';
import { usePages } from './use-pages.ts';

const stale = [['/webhooks'], ['/home'], ['/deliveries']];

export const useWebhooks = () => usePages<WebhookView>('/webhooks', {}, 5_000);

export function useWebhook(id: string) {
  return useQuery({
    queryKey: ['/webhooks', 'one', id],
    queryFn: () => read<WebhookView>(`/webhooks/${id}`),
    refetchInterval: 3_000,
  });
}

export function useEventTypes() {
  return useQuery({
    queryKey: ['/webhooks', 'event-types'],
    queryFn: () => read<EventType[]>('/webhooks/event-types'),
    staleTime: Infinity,
  });
}

export const useNewWebhook = () =>
  useChange((input: NewWebhookRequest) => change<WebhookView>('POST', '/webhooks', input), stale);

export const useChangeWebhook = (id: string) =>
  useChange((input: ChangeWebhookRequest) => change<WebhookView>('PATCH', `/webhooks/${id}`, input), stale);

export const useWebhookAction = (id: string) =>
  useChange(
    (action: 'pause' | 'resume' | 'enable') => change<WebhookView>('POST', `/webhooks/${id}/${action}`),
    stale,
  );

export const useTestWebhook = (id: string) =>
  useChange<WebhookTestRequest, WebhookTestResponse>(
    (input) => change<WebhookTestResponse>('POST', `/webhooks/${id}/test`, input),
    stale,
  );

export const useCertifyWebhook = (id: string) =>
  useChange<void, WebhookCertifyResponse>(
    () => change<WebhookCertifyResponse>('POST', `/webhooks/${id}/certify`),
    [],
  );

export function useEarlierRewards(id: string) {
  return useQuery({
    queryKey: ['/webhooks', 'earlier-rewards', id],
    queryFn: () => read<EarlierRewardsView>(`/webhooks/${id}/earlier-rewards`),
  });
}

export const useSendEarlierRewards = (id: string) =>
  useChange<void, EarlierRewardsView>(
    () => change<EarlierRewardsView>('POST', `/webhooks/${id}/earlier-rewards`),
    stale,
  );
