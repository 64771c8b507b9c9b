import { TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { useDays } from './use-day-range.ts';
import { useQueryState } from './use-query-state.ts';

// The calendar is large, and most visitors of a list choose no days.
const DayRangeInput = lazy(async () => ({ default: (await import('./day-range-input.tsx')).DayRangeInput }));

/** Filters by days in the merchant's time zone, both inclusive. They are kept in the URL as `from` and `to`. `none`: the text without days. */
export function DayRangeFilter({ none }: { none?: string }) {
  const { t } = useTranslation();
  const { timezone } = useSession().merchant;
  const { from, to } = useDays();
  const [, set] = useQueryState();
  const empty = none ?? t('common.anyTime');
  // The accessible name must contain the visible text.
  const shown = from || to ? `${from ?? ''} – ${to ?? ''}` : empty;
  const frame = {
    leftSection: <IconCalendar size={15} aria-hidden />,
    style: { minWidth: 220 },
  };
  return (
    <Suspense fallback={<TextInput {...frame} readOnly aria-label={shown} value={shown} />}>
      <DayRangeInput
        {...frame}
        clearable
        aria-label={`${shown}, ${t('common.dateRange', { timezone })}`}
        placeholder={empty}
        value={[from ?? null, to ?? null]}
        onChange={([first, last]) => set({ from: first, to: last })}
        clearButtonProps={{ 'aria-label': t('common.clear') }}
      />
    </Suspense>
  );
}
