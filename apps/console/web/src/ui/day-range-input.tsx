import { DatePickerInput, DatesProvider } from '@mantine/dates';
import type { DatePickerInputProps } from '@mantine/dates';
import '@mantine/dates/styles.css';
import 'dayjs/locale/ko';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

/** Selects the first and the last day of a range in a calendar. */
export function DayRangeInput(props: DatePickerInputProps<'range'>) {
  const { t, i18n } = useTranslation();
  const id = useId();
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 0 }}>
      <DatePickerInput
        type="range"
        allowSingleDateInRange
        valueFormat="YYYY-MM-DD"
        monthLabelFormat={t('common.monthOfYear')}
        ariaLabels={{
          previousMonth: t('common.previous'),
          nextMonth: t('common.next'),
          previousYear: t('common.previous'),
          nextYear: t('common.next'),
          previousDecade: t('common.previous'),
          nextDecade: t('common.next'),
        }}
        // The accessible name of the button is also that of the calendar.
        id={id}
        popoverProps={{ id }}
        {...props}
      />
    </DatesProvider>
  );
}
