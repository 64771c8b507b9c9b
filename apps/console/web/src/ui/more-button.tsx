import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './more-button.module.css';

/** Loads the next page of a list. */
export interface More {
  load(): void;
  pending: boolean;
}

/** The button below a list that loads its next page. */
export function MoreButton({ more }: { more: More }) {
  const { t } = useTranslation();
  return (
    <div className={classes['more']}>
      <Button variant="default" size="xs" loading={more.pending} onClick={more.load}>
        {t('common.more')}
      </Button>
    </div>
  );
}

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** The next page of an infinite query; undefined on the last page. */
export function moreOf(pages: Pages): More | undefined {
  if (!pages.hasNextPage) return undefined;
  return { load: () => void pages.fetchNextPage(), pending: pages.isFetchingNextPage };
}
