import { IconCalendar } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { DayRangeInput } from './day-range-input.tsx';
import { useDays } from '../hooks/use-day-range.ts';
import { useQueryState } from '../hooks/use-query-state.ts';

/** Filters by days in the merchant's time zone, both inclusive. They are kept in the URL as `from` and `to`. */
export function DayRangeFilter() {
  const { t } = useTranslation();
  const { timezone } = useSession().merchant;
  const { from, to } = useDays();
  const [, set] = useQueryState();
  // The accessible name must contain the visible text.
  const shown = from || to ? `${from ?? ''} – ${to ?? ''}` : t('common.anyTime');
  return (
    <DayRangeInput
      clearable
      aria-label={`${shown}, ${t('common.dateRange', { timezone })}`}
      placeholder={t('common.anyTime')}
      leftSection={<IconCalendar size={15} aria-hidden />}
      value={[from ?? null, to ?? null]}
      onChange={([first, last]) => set({ from: first, to: last })}
      clearButtonProps={{ 'aria-label': t('common.clear') }}
      style={{ minWidth: 220 }}
    />
  );
}
