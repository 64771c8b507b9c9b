import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { getI18n } from 'react-i18next';
import { notifyFailed } from '../ui/notifications.ts';
import { hasUnsaved } from '../ui/unsaved-changes.ts';
import { ApiError } from './api-error.ts';
import { onOtherTabs, notifyOtherTabs } from './other-tabs.ts';
import type { AnswerOf } from '../../../src/routes.ts';
import { callRoute } from './client.ts';
import type { CallInput } from './client.ts';
import { setFirstShownMerchant, setShownMerchant } from './request.ts';
import type { SessionView } from './types.ts';
import { useSend } from './use-send.ts';

const key = ['/session'];

/** The session: the user, and the merchant they work with. Null when no user is signed in. */
export const sessionQuery = queryOptions({
  queryKey: key,
  queryFn: async ({ client }) => {
    try {
      const session = await callRoute('GET /session', {});
      setFirstShownMerchant(session.merchant.id);
      return session;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'login_required') throw error;
      // Unsaved input stays on the page. It can be saved after a sign-in in another tab.
      if (hasUnsaved()) return client.getQueryData<SessionView>(key) ?? null;
      return null;
    }
  },
  // Pages that poll read it again with their data, but not with every answer.
  staleTime: 10_000,
  // Only while the tab is visible: of a page that does not poll.
  refetchInterval: 30_000,
});

export const useSessionQuery = () => useQuery(sessionQuery);

/** Sets the session and discards all cached responses, which belong to the previous user and merchant. */
function storeSession(client: QueryClient, session: SessionView | null): void {
  setShownMerchant(session?.merchant.id);
  client.setQueryData(key, session);
  const otherQueries = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== '/session',
  };
  if (session) void client.resetQueries(otherQueries);
  else client.removeQueries(otherQueries);
}

export function useSetSession() {
  const client = useQueryClient();
  return (session: SessionView | null) => {
    storeSession(client, session);
    if (session) notifyOtherTabs(session);
  };
}

/**
 * Follows another tab that changes the merchant or the user, because all tabs share the cookie of the session. A tab on
 * a sign-in page stays there. A sign-out is not followed: the next request finds it, and unsaved input stays until then.
 */
export function followOtherTabs(client: QueryClient): void {
  onOtherTabs((session) => {
    const shown = client.getQueryData(sessionQuery.queryKey);
    const isSame = shown?.merchant.id === session.merchant.id && shown.user.id === session.user.id;
    if (!shown || isSame) return;
    if (hasUnsaved()) notifyFailed(getI18n().t('unsaved.otherMerchant', { name: session.merchant.name }));
    storeSession(client, session);
  });
}

/** A route after which the browser has another session: that of its answer, or none. */
type SessionChange =
  | 'POST /sign-in'
  | 'POST /sign-out'
  | 'POST /session/merchant'
  | 'POST /invitations/:token/accept'
  | 'POST /password-resets/:token';

/** A change of the session by one route, like `useSend`. */
export function useSendSession<Name extends SessionChange, Known extends Partial<CallInput<Name>> = object>(
  route: Name,
  known?: Known,
) {
  const setSession = useSetSession();
  return useSend(route, known, {
    onSuccess: (answer: AnswerOf<Name>) => setSession(answer ?? null),
  });
}

/** The URL of the merchant's API: as the server is configured, else the origin of the console. */
export function apiUrlOf(session: SessionView): string {
  return (session.api_url ?? location.origin).replace(/\/$/, '');
}
