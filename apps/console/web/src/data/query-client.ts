import { QueryCache, QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { hasUnsaved } from '../ui/unsaved-changes.ts';
import { ApiError, isTransient } from './api-error.ts';

/** Creates the cache of responses. When any request finds that the session has ended, the page shows it at once. */
export function openQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // What the shell shows, such as a pause by the operator, is at most as old as the data of the page.
      onSuccess: (_data, { queryKey }) => {
        if (queryKey[0] === '/session') return;
        const stale = { queryKey: ['/session'], type: 'active', stale: true } as const;
        void client.refetchQueries(stale, { cancelRefetch: false });
      },
      onError: (error, { queryKey }) => {
        const ended = error instanceof ApiError && error.code === 'login_required';
        // A page with unsaved changes stays. Saving them reports that the session has ended.
        if (ended && queryKey[0] !== '/session' && !hasUnsaved()) client.setQueryData(['/session'], null);
      },
    }),
    defaultOptions: {
      queries: {
        // A console on the same machine or network is reachable while the browser is offline.
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (count, error) => count < 2 && isTransient(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

/** Whether data on the page may be out of date, because the last attempt to refresh it failed. */
export function useOutdated(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    useCallback((changed) => cache.subscribe(changed), [cache]),
    () =>
      cache
        .getAll()
        .some(
          (query) => query.isActive() && query.state.data !== undefined && isTransient(query.state.error),
        ),
  );
}
