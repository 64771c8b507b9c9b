import { QueryCache, QueryClient } from '@tanstack/react-query';
import { hasUnsaved } from '../hooks/unsaved-changes.ts';
import { ApiError } from './api-error.ts';

/** What an error that passes by itself looks like: it is worth trying again. */
const passing = new Set<ApiError['code']>(['unreachable', 'service_unavailable', 'internal_error']);

export const isPassing = (error: unknown): boolean => error instanceof ApiError && passing.has(error.code);

/** Opens the page's memory of answers. A session that has ended shows at once, whichever call finds it. */
export function openQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        const ended = error instanceof ApiError && error.code === 'login_required';
        // With something unsaved the page stays: saving says that the session has ended.
        if (ended && queryKey[0] !== 'session' && !hasUnsaved()) client.setQueryData(['session'], null);
      },
    }),
    defaultOptions: {
      queries: {
        // What the browser thinks of its connection says nothing of a console on the same machine or network.
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        retry: (count, error) => count < 2 && isPassing(error),
      },
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}
