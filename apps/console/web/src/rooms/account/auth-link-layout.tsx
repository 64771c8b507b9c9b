import { Button, Group, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../data/api-error.ts';
import { useSessionQuery, useSendSession } from '../../data/session.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { LinkButton } from '../../ui/links.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { AuthLayout } from './auth-layout.tsx';

interface AuthLinkLayoutProps<T extends { email: string }> {
  title: string;
  /** The resource of the link's token. */
  query: UseQueryResult<T>;
  /** The texts for a link that is no longer valid. */
  expired: { title: string; text: string };
  /** The link needs no account, so it does not matter who is signed in. */
  anyUser?: boolean;
  children: (found: T) => ReactNode;
}

/**
 * The frame of a page that is opened by a link with a token. Shows the page while the token is valid. A user who is signed
 * in with another email than that of the link must sign out first.
 */
export function AuthLinkLayout<T extends { email: string }>({
  title,
  query,
  expired,
  anyUser = false,
  children,
}: AuthLinkLayoutProps<T>) {
  const { t } = useTranslation();
  const user = useSessionQuery().data?.user;
  const isExpired = query.error instanceof ApiError && query.error.code === 'not_found';
  return (
    <AuthLayout title={title}>
      {isExpired ? (
        <EmptyState
          {...expired}
          action={
            <LinkButton to={user ? '/' : '/sign-in'} variant="default">
              {t(user ? 'firstKeys.goToConsole' : 'signIn.action')}
            </LinkButton>
          }
        />
      ) : (
        <Loaded query={query}>
          {(found) =>
            user && !anyUser && user.email !== found.email ? (
              <SignedInAs email={user.email} of={found.email} />
            ) : (
              children(found)
            )
          }
        </Loaded>
      )}
    </AuthLayout>
  );
}

/** Shown when a link belongs to another email than that of the signed-in user. */
function SignedInAs({ email, of }: { email: string; of: string }) {
  const { t } = useTranslation();
  const signOut = useSendSession('POST /sign-out');
  return (
    <Stack gap="md">
      <p style={{ margin: 0, overflowWrap: 'anywhere' }}>{t('signedInAs.text', { email, of })}</p>
      <ErrorNotice error={signOut.error} />
      <Group>
        <Button loading={signOut.isPending} onClick={() => signOut.mutate()}>
          {t('signedInAs.action')}
        </Button>
        <LinkButton to="/" variant="default">
          {t('firstKeys.goToConsole')}
        </LinkButton>
      </Group>
    </Stack>
  );
}
