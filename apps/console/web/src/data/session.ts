import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { getI18n } from 'react-i18next';
import { notifyFailed } from '../ui/notifications.ts';
import { hasUnsaved } from '../ui/unsaved-changes.ts';
import { ApiError } from './api-error.ts';
import { onOtherTabs, notifyOtherTabs } from './other-tabs.ts';
import { change, read, setFirstShownMerchant, setShownMerchant } from './request.ts';
import type {
  ChangeMerchantRequest,
  ChangePasswordRequest,
  CompleteSignUpRequest,
  ForgottenPasswordRequest,
  MailSentResponse,
  NewMerchantRequest,
  PendingContactConfirmation,
  PendingPasswordReset,
  PendingSignUp,
  SessionView,
  SignInRequest,
  SignUpResponse,
  SignUpRequest,
} from './types.ts';
import { useChange } from './use-change.ts';

const key = ['session'];

/** The session: the user, and the merchant they work with. Null when no user is signed in. */
export const sessionQuery = queryOptions({
  queryKey: key,
  queryFn: async ({ client }) => {
    try {
      const session = await read<SessionView>('/session');
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
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session',
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

export function useSignIn() {
  const setSession = useSetSession();
  return useMutation({
    mutationFn: (input: SignInRequest) => change<SessionView>('POST', '/sign-in', input),
    onSuccess: setSession,
  });
}

/** Requests an email. The link in it creates the account. */
export function useSignUp() {
  return useMutation({
    mutationFn: (input: SignUpRequest) => change<MailSentResponse>('POST', '/sign-up', input),
  });
}

export function useOpenSignUp(token: string) {
  return useQuery({
    queryKey: ['/sign-ups', token],
    queryFn: () => read<PendingSignUp>(`/sign-ups/${encodeURIComponent(token)}`),
  });
}

/** Does not set the session yet: the secret key is shown first. */
export function useCompleteSignUp(token: string) {
  return useMutation({
    mutationFn: (input: CompleteSignUpRequest) =>
      change<SignUpResponse>('POST', `/sign-ups/${encodeURIComponent(token)}`, input),
  });
}

/** Does not set the session yet: the secret key is shown first. */
export function useNewMerchant() {
  return useMutation({
    mutationFn: ({ merchant_name, timezone }: NewMerchantRequest) =>
      change<SignUpResponse>('POST', '/merchants', { merchant_name, timezone }),
  });
}

export function useForgotPassword() {
  return useMutation({
    mutationFn: (input: ForgottenPasswordRequest) =>
      change<MailSentResponse>('POST', '/password-resets', input),
  });
}

export function useContactConfirmation(token: string) {
  return useQuery({
    queryKey: ['/contact-confirmations', token],
    queryFn: () => read<PendingContactConfirmation>(`/contact-confirmations/${encodeURIComponent(token)}`),
  });
}

export function useConfirmContact(token: string) {
  return useMutation({
    mutationFn: () => change<void>('POST', `/contact-confirmations/${encodeURIComponent(token)}`),
  });
}

export function useResendContactConfirmation() {
  return useMutation({
    mutationFn: () => change<MailSentResponse>('POST', '/merchant/contact-confirmation'),
  });
}

export function useSignOut() {
  const setSession = useSetSession();
  return useMutation({
    mutationFn: () => change<void>('POST', '/sign-out'),
    onSuccess: () => setSession(null),
  });
}

export function useChooseMerchant() {
  const setSession = useSetSession();
  return useMutation({
    mutationFn: (merchantId: string) =>
      change<SessionView>('POST', '/session/merchant', { merchant_id: merchantId }),
    onSuccess: setSession,
  });
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (input: ChangePasswordRequest) => change<void>('POST', '/password', input),
  });
}

export function usePasswordReset(token: string) {
  return useQuery({
    queryKey: ['/password-resets', token],
    queryFn: () => read<PendingPasswordReset>(`/password-resets/${encodeURIComponent(token)}`),
  });
}

/** Ends all sessions of the user, including one in this browser. */
export function useResetPassword(token: string) {
  const setSession = useSetSession();
  return useMutation({
    mutationFn: (password: string) =>
      change<void>('POST', `/password-resets/${encodeURIComponent(token)}`, { password }),
    onSuccess: () => setSession(null),
  });
}

export const useChangeMerchant = () =>
  useChange(
    (input: ChangeMerchantRequest) => change<SessionView['merchant']>('PATCH', '/merchant', input),
    [key],
  );

/** The URL of the merchant's API: as the server is configured, else the origin of the console. */
export function apiUrlOf(session: SessionView): string {
  return (session.api_url ?? location.origin).replace(/\/$/, '');
}
