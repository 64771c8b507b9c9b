import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { apiPath } from '../data/request.ts';

/** Downloads all rows of a filtered list as a CSV file. */
export function CsvButton({ list, filter = {} }: { list: string; filter?: object }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      href={apiPath(`/${list}.csv`, filter)}
      download
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      {t('common.csv')}
    </Button>
  );
}
