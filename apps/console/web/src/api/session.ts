import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { getI18n } from 'react-i18next';
import { notifyFailed } from '../hooks/notify.ts';
import { hasUnsaved } from '../hooks/unsaved-changes.ts';
import { ApiError } from './api-error.ts';
import { onOtherTabs, notifyOtherTabs } from './other-tabs.ts';
import { change, read, showFirstMerchant, showMerchant } from './request.ts';
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

/** Who is signed in, and to which merchant; null for nobody. */
export const sessionQuery = queryOptions({
  queryKey: key,
  queryFn: async ({ client }) => {
    try {
      const session = await read<SessionView>('/session');
      showFirstMerchant(session.merchant.id);
      return session;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'login_required') throw error;
      // What is filled in stays on the page, and can be saved after a sign-in beside it.
      if (hasUnsaved()) return client.getQueryData<SessionView>(key) ?? null;
      return null;
    }
  },
  staleTime: 60_000,
});

export const useSessionQuery = () => useQuery(sessionQuery);

/** Everything that was read belongs to one user and merchant: it is forgotten when either changes. */
function enterSession(client: QueryClient, session: SessionView | null): void {
  showMerchant(session?.merchant.id);
  client.setQueryData(key, session);
  const others = {
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== 'session',
  };
  if (session) void client.resetQueries(others);
  else client.removeQueries(others);
}

export function useEnter() {
  const client = useQueryClient();
  return (session: SessionView | null) => {
    enterSession(client, session);
    if (session) notifyOtherTabs(session);
  };
}

/**
 * Goes along when another tab changes the merchant or the user: the server counts what is done here to that one. A tab
 * that stands in front of the sign-in stays there, and the end of a session is told by the next call: what is filled in
 * can then still be saved.
 */
export function followOtherTabs(client: QueryClient): void {
  onOtherTabs((session) => {
    const shown = client.getQueryData(sessionQuery.queryKey);
    const same = shown?.merchant.id === session.merchant.id && shown.user.id === session.user.id;
    if (!shown || same) return;
    if (hasUnsaved()) notifyFailed(getI18n().t('unsaved.otherMerchant', { name: session.merchant.name }));
    enterSession(client, session);
  });
}

export function useSignIn() {
  const enter = useEnter();
  return useMutation({
    mutationFn: (input: SignInRequest) => change<SessionView>('POST', '/sign-in', input),
    onSuccess: enter,
  });
}

/** Asks for a mail; the account is created by the link in it. */
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

/** Does not enter by itself: the secret key is shown first. */
export function useCompleteSignUp(token: string) {
  return useMutation({
    mutationFn: (input: CompleteSignUpRequest) =>
      change<SignUpResponse>('POST', `/sign-ups/${encodeURIComponent(token)}`, input),
  });
}

/** Does not enter by itself: the secret key is shown first. */
export function useNewMerchant() {
  return useMutation({
    mutationFn: (input: NewMerchantRequest) => change<SignUpResponse>('POST', '/merchants', input),
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
  const enter = useEnter();
  return useMutation({ mutationFn: () => change<void>('POST', '/sign-out'), onSuccess: () => enter(null) });
}

export function useChooseMerchant() {
  const enter = useEnter();
  return useMutation({
    mutationFn: (merchantId: string) =>
      change<SessionView>('POST', '/session/merchant', { merchant_id: merchantId }),
    onSuccess: enter,
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

/** All sessions end by it, also one in this browser. */
export function useResetPassword(token: string) {
  const enter = useEnter();
  return useMutation({
    mutationFn: (password: string) =>
      change<void>('POST', `/password-resets/${encodeURIComponent(token)}`, { password }),
    onSuccess: () => enter(null),
  });
}

export const useChangeMerchant = () =>
  useChange(
    (input: ChangeMerchantRequest) => change<SessionView['merchant']>('PATCH', '/merchant', input),
    [key],
  );
