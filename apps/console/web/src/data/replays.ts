import { useMutation } from '@tanstack/react-query';
import { change } from './request.ts';
import type { NewReplayRequest, ReplayPreview, ReplayPreviewRequest, ReplayView } from './types.ts';
import { useChange } from './use-change.ts';
import { usePages } from './use-pages.ts';

const stale = [['/replays'], ['/deliveries'], ['/webhooks']];

/** Replays of one webhook and replays of all webhooks, newest first. Refreshed often to show progress. */
export function useReplays(webhookId: string) {
  return usePages<ReplayView>('/replays', { endpoint_id: webhookId }, 2_000);
}

export function usePreviewReplay(webhookId: string) {
  return useMutation({
    mutationFn: (range: ReplayPreviewRequest) =>
      change<ReplayPreview>('POST', `/webhooks/${webhookId}/replays/preview`, range),
  });
}

export const useNewReplay = (webhookId: string) =>
  useChange(
    (input: NewReplayRequest) => change<ReplayView>('POST', `/webhooks/${webhookId}/replays`, input),
    stale,
  );

export const useReplayAction = (id: string) =>
  useChange(
    (action: 'pause' | 'resume' | 'cancel') => change<ReplayView>('POST', `/replays/${id}/${action}`),
    stale,
  );
