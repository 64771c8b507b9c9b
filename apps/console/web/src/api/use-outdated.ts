import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { isPassing } from './query-client.ts';

/** Whether something that is shown could not be read anew, and so may not be true any more. */
export function useOutdated(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    useCallback((changed) => cache.subscribe(changed), [cache]),
    () =>
      cache
        .getAll()
        .some((query) => query.isActive() && query.state.data !== undefined && isPassing(query.state.error)),
  );
}
