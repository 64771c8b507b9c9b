import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Shown while a list loads. */
export function ListSkeleton({ columns = 4 }: { columns?: number }) {
  const { t } = useTranslation();
  return (
    <div role="status" aria-label={t('common.loading')} style={{ padding: '8px 20px' }}>
      {[0, 1, 2, 3, 4].map((row) => (
        <div key={row} style={{ display: 'flex', gap: 24, padding: '11px 0' }}>
          {Array.from({ length: Math.min(columns, 5) }, (_, column) => (
            <Skeleton key={column} height={12} radius="sm" style={{ flex: column === 0 ? 2 : 1 }} />
          ))}
        </div>
      ))}
    </div>
  );
}
