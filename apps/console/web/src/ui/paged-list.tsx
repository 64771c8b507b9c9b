import { Button, Text } from '@mantine/core';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSession } from '../app/session-context.ts';
import { idOf } from '../data/loaded-list.ts';
import { maxRows } from '../data/use-pages.ts';
import type { SearchedTo } from '../data/types.ts';
import type { Pages } from '../data/use-pages.ts';
import { DataList } from './data-list.tsx';
import type { DataListProps } from './data-list.tsx';
import classes from './data-list.module.css';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { shownTime } from './format-time.ts';
import { useFormat } from './use-format.ts';

export type PagedListProps<Row> = Pick<
  DataListProps<Row>,
  'caption' | 'columns' | 'linkOf' | 'empty' | 'selection'
> & {
  pages: Pages<Row>;
};

/** A `DataList` that is loaded page by page. It says when it is filtered by a former id of a member, and how many rows are newer. */
export function PagedList<Row extends object>({ pages, ...list }: PagedListProps<Row>) {
  const { t } = useTranslation();
  const { number } = useFormat();
  const start = useRef<HTMLDivElement>(null);
  const { rows, survivor, fresh } = pages;
  const showFresh = () => {
    fresh?.show();
    start.current?.scrollIntoView({ block: 'center' });
  };
  return (
    <>
      <div ref={start} />
      {survivor !== undefined && (
        <Text size="sm" px={20} py={12} role="status">
          {t('common.formerId', { member: survivor })}
        </Text>
      )}
      {fresh && (
        <div className={classes['fresh']}>
          <Button size="xs" radius="xl" onClick={showFresh}>
            {t(fresh.isExact ? 'common.fresh' : 'common.freshAtLeast', { number: number(fresh.count) })}
          </Button>
        </div>
      )}
      <DataList
        {...list}
        empty={pages.searchedTo ? <EmptyState title={t('common.noneSoFar')} /> : list.empty}
        rows={rows}
        keyOf={idOf}
        outdated={pages.isOutdated}
        error={pages.error}
        retry={pages.retry}
      />
      <MoreRows pages={pages} />
    </>
  );
}

/** Below a list: says how far it was searched and loads more rows, or says that it ends. */
export function MoreRows({
  pages: { more, searchedTo, isCut },
}: {
  pages: Pick<Pages<object>, 'more' | 'searchedTo' | 'isCut'>;
}) {
  const { t } = useTranslation();
  const { number } = useFormat();
  return (
    <>
      {more && (
        <div className={classes['more']}>
          <ErrorNotice error={more.error} />
          {searchedTo && <Searched to={searchedTo} />}
          <Button variant="default" size="xs" loading={more.isPending} onClick={more.load}>
            {t(searchedTo ? 'common.searchEarlier' : 'common.more')}
          </Button>
        </div>
      )}
      {isCut && <p className={classes['more']}>{t('common.listEnds', { number: number(maxRows) })}</p>}
    </>
  );
}

/** How far a list was searched for the rows that match its filters. */
function Searched({ to }: { to: SearchedTo }) {
  const { t, i18n } = useTranslation();
  const { timezone } = useSession().merchant;
  if ('id' in to) return <span role="status">{t('common.searchedToId', { id: to.id })}</span>;
  const time = shownTime(to.time, { timezone, language: i18n.language, now: Date.now() });
  return <span role="status">{t('common.searchedToTime', { time })}</span>;
}
