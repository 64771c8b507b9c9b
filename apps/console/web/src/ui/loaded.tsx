import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../data/api-error.ts';
import { ErrorNotice } from './error-notice.tsx';

interface LoadedProps<T> {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}

/** Renders the data of a query: a skeleton while it loads, an error notice if it fails. */
export function Loaded<T>({ query, children }: LoadedProps<T>) {
  const { t } = useTranslation();
  if (query.data !== undefined) return children(query.data);
  if (query.error) {
    // Another try cannot find it.
    const isUnknown = query.error instanceof ApiError && query.error.code === 'not_found';
    return <ErrorNotice error={query.error} {...(!isUnknown && { retry: () => void query.refetch() })} />;
  }
  return (
    <Stack role="status" aria-label={t('common.loading')} gap={20}>
      <Skeleton height={92} radius="lg" />
      <Skeleton height={220} radius="lg" />
      <Skeleton height={160} radius="lg" />
    </Stack>
  );
}
