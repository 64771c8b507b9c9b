import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { Doorway } from './doorway.tsx';

interface LinkDoorwayProps<T> {
  title: string;
  /** What the link stands for. */
  query: UseQueryResult<T>;
  /** What is said when the link is not good any more. */
  gone: { title: string; text: string };
  children: (found: T) => ReactNode;
}

/** The frame of a page that is reached by a link with a token, as long as that is good. */
export function LinkDoorway<T>({ title, query, gone, children }: LinkDoorwayProps<T>) {
  const { t } = useTranslation();
  const isGone = query.error instanceof ApiError && query.error.code === 'not_found';
  return (
    <Doorway title={title}>
      {isGone ? (
        <EmptyState
          {...gone}
          action={
            <LinkButton to="/sign-in" variant="default">
              {t('signIn.act')}
            </LinkButton>
          }
        />
      ) : (
        <Loaded query={query}>{children}</Loaded>
      )}
    </Doorway>
  );
}
