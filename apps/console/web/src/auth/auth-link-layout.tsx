import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';
import { useSessionQuery } from '../api/session.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { Loaded } from '../components/loaded.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { SignedInAs } from './signed-in-as.tsx';

interface AuthLinkLayoutProps<T extends { email: string }> {
  title: string;
  /** What the link stands for. */
  query: UseQueryResult<T>;
  /** What is said when the link is not good any more. */
  gone: { title: string; text: string };
  /** Whether it concerns nobody's account: who is signed in makes no difference then. */
  forAnybody?: boolean;
  children: (found: T) => ReactNode;
}

/**
 * The frame of a page that is reached by a link with a token, as long as that is good. Who is signed in with another
 * e-mail than the link's signs out first.
 */
export function AuthLinkLayout<T extends { email: string }>({
  title,
  query,
  gone,
  forAnybody = false,
  children,
}: AuthLinkLayoutProps<T>) {
  const { t } = useTranslation();
  const user = useSessionQuery().data?.user;
  const isGone = query.error instanceof ApiError && query.error.code === 'not_found';
  return (
    <AuthLayout title={title}>
      {isGone ? (
        <EmptyState
          {...gone}
          action={
            <LinkButton to={user ? '/' : '/sign-in'} variant="default">
              {t(user ? 'firstKeys.goOn' : 'signIn.act')}
            </LinkButton>
          }
        />
      ) : (
        <Loaded query={query}>
          {(found) =>
            user && !forAnybody && user.email !== found.email ? (
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
