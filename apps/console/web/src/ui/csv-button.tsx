import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { exportUrl } from '../data/client.ts';
import type { ExportName } from '../data/client.ts';

/** A list that can be downloaded. */
export type ExportedList = ExportName extends `GET /${infer List}.csv` ? List : never;

/** Downloads all rows of a filtered list as a CSV file. */
export function CsvButton({ list, filter = {} }: { list: ExportedList; filter?: object }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      href={exportUrl(`GET /${list}.csv`, filter)}
      download
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      {t('common.csv')}
    </Button>
  );
}
