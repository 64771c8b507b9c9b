import { DatePickerInput, DatesProvider } from '@mantine/dates';
import '@mantine/dates/styles.css';
import 'dayjs/locale/ko';
import { IconCalendar } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { useQueryState } from './use-query-state.ts';

/** Days from and to, both included, in the merchant's time zone; kept in the URL as `from` and `to`. */
export function DayRange() {
  const { t, i18n } = useTranslation();
  const { timezone } = useSession().merchant;
  const [get, set] = useQueryState();
  // What it is called must hold what it shows.
  const shown = get('from') ? `${get('from')} – ${get('to') ?? ''}` : t('common.anyTime');
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 0 }}>
      <DatePickerInput
        type="range"
        allowSingleDateInRange
        clearable
        valueFormat="YYYY-MM-DD"
        aria-label={`${shown}, ${t('common.days', { timezone })}`}
        placeholder={t('common.anyTime')}
        leftSection={<IconCalendar size={15} aria-hidden />}
        value={[get('from') ?? null, get('to') ?? null]}
        onChange={([from, to]) => set({ from, to })}
        clearButtonProps={{ 'aria-label': t('common.clear') }}
        ariaLabels={{
          previousMonth: t('common.previous'),
          nextMonth: t('common.next'),
          monthLevelControl: t('common.chooseMonth'),
          yearLevelControl: t('common.chooseYear'),
        }}
        style={{ minWidth: 220 }}
      />
    </DatesProvider>
  );
}
