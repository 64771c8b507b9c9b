import { Text } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { usePages } from '../data/use-pages.ts';
import { requestHeadingFocus } from './heading-focus.ts';
import classes from './data-list.module.css';
import { ErrorNotice } from './error-notice.tsx';
import { ListSkeleton } from './list-skeleton.tsx';
import { MoreButton, moreOf } from './more-button.tsx';
import type { More } from './more-button.tsx';

export interface Column<Row> {
  /** Empty for a column of actions. */
  header: string;
  cell: (row: Row) => ReactNode;
  /** Aligned to the end, for numbers. */
  end?: boolean;
  /** Limit of the width. Longer text is cut off. */
  width?: 'narrow' | 'wide';
}

export interface DataListProps<Row> {
  /** Accessible name of the table. */
  caption: string;
  columns: Column<Row>[];
  rows: Row[] | undefined;
  keyOf: (row: Row) => string;
  /** The page that a click on a row opens. One of its cells should contain the same link. */
  linkOf?: (row: Row) => string;
  empty: ReactNode;
  error?: Error | null;
  retry?: () => void;
  /** Whether the rows are those of the previous filter, while new ones load. */
  outdated?: boolean;
  /** Loads the next page. Undefined on the last page. */
  more?: More | undefined;
}

/** A table that becomes a list of cards on a phone, with its loading, empty and error states. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { caption, columns, rows, keyOf, linkOf, empty, error = null, retry, outdated = false, more } = props;
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  if (!rows) {
    if (!error) return <ListSkeleton columns={columns.length} />;
    return (
      <div style={{ padding: 20 }}>
        <ErrorNotice error={error} {...(retry ? { retry } : {})} />
      </div>
    );
  }
  if (rows.length === 0) return empty;
  const open = (row: Row) => (event: MouseEvent<HTMLElement>) => {
    const onControl = (event.target as HTMLElement).closest('a, button, input, label, [role=dialog]');
    if (onControl || !linkOf || getSelection()?.toString()) return;
    requestHeadingFocus();
    navigate(linkOf(row));
  };
  return (
    <>
      <div className={classes['scroll']} aria-busy={outdated}>
        <table className={classes['table']} role="table">
          <caption className="visually-hidden">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ header, end }, index) => (
                <th key={index} role="columnheader" scope="col" className={end ? classes['end'] : undefined}>
                  {header || <span className="visually-hidden">{t('common.actions')}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr
                key={keyOf(row)}
                role="row"
                className={linkOf ? classes['linked'] : undefined}
                onClick={open(row)}
              >
                {columns.map(({ header, cell, end, width }, index) => (
                  <td
                    key={index}
                    role="cell"
                    data-label={header}
                    className={`${end ? classes['end'] : ''} ${width ? classes[width] : ''} ${header ? '' : classes['actions']}`}
                  >
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <MoreButton more={more} />}
    </>
  );
}

type PagedListProps<Row> = Omit<DataListProps<Row>, 'rows' | 'error' | 'retry' | 'more'> & {
  pages: ReturnType<typeof usePages<Row>>;
};

/** A `DataList` that is loaded page by page. It says when it is filtered by a former id of a member. */
export function PagedList<Row>({ pages, ...others }: PagedListProps<Row>) {
  const { t } = useTranslation();
  return (
    <>
      {pages.survivor !== undefined && (
        <Text size="sm" px={20} py={12} role="status">
          {t('common.formerId', { member: pages.survivor })}
        </Text>
      )}
      <DataList
        {...others}
        rows={pages.rows}
        outdated={pages.isPlaceholderData}
        error={pages.error}
        retry={() => void pages.refetch()}
        more={moreOf(pages)}
      />
    </>
  );
}
