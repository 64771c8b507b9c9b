import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './more-button.module.css';

/** How the next page of a list is loaded. */
export interface More {
  load(): void;
  busy: boolean;
}

/** The button below a list that loads its next page. */
export function MoreButton({ more }: { more: More }) {
  const { t } = useTranslation();
  return (
    <div className={classes['more']}>
      <Button variant="default" size="xs" loading={more.busy} onClick={more.load}>
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

/** What a list that is read page by page needs for its button; undefined at the end. */
export function moreOf(pages: Pages): More | undefined {
  if (!pages.hasNextPage) return undefined;
  return { load: () => void pages.fetchNextPage(), busy: pages.isFetchingNextPage };
}
