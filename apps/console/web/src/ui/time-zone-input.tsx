import { Select } from '@mantine/core';
import type { SelectProps } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useRead } from '../data/use-read.ts';
import { offsetOf } from './format-time.ts';
import { timeZones } from './time-zones.ts';

/** Selects a time zone. Typing searches. */
export function TimeZoneInput(props: Omit<SelectProps, 'data'>) {
  const { t } = useTranslation();
  const accepted = useRead('GET /time-zones', {}, { staleTime: Infinity }).data;
  const selected = props.value ?? props.defaultValue ?? undefined;
  const data = useMemo(
    () =>
      timeZones(accepted ?? [], selected).map((value) => ({
        value,
        label: `${value} (${offsetOf(new Date(), value)})`,
      })),
    [accepted, selected],
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
