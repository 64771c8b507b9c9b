import { Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZones } from '../api/time-zones.ts';
import { offsetOf } from '../formatting/format-time.ts';
import { timeZones } from '../formatting/time-zones.ts';

/** Chooses a time zone; typing searches. */
export function TimeZoneInput(props: Omit<SelectProps, 'data'>) {
  const { t } = useTranslation();
  const taken = useTimeZones().data;
  const chosen = props.value ?? props.defaultValue ?? undefined;
  const data = useMemo(
    () =>
      timeZones(taken ?? [], chosen).map((value) => ({
        value,
        label: `${value} (${offsetOf(new Date(), value)})`,
      })),
    [taken, chosen],
  );
  return (
    <Select
      label={t('fields.timezone')}
      description={t('fields.timezoneHint')}
      searchable
      allowDeselect={false}
      limit={60}
      nothingFoundMessage={t('common.noResults')}
      {...props}
      data={data}
    />
  );
}
