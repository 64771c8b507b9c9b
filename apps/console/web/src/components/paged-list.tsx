import type { usePages } from '../api/use-pages.ts';
import { DataList } from './data-list.tsx';
import type { DataListProps } from './data-list.tsx';
import { moreOf } from './more-button.tsx';

type PagedListProps<Row> = Omit<DataListProps<Row>, 'rows' | 'error' | 'retry' | 'more'> & {
  pages: ReturnType<typeof usePages<Row>>;
};

/** A list that is read page by page. */
export function PagedList<Row>({ pages, ...others }: PagedListProps<Row>) {
  return (
    <DataList
      {...others}
      rows={pages.rows}
      outdated={pages.isPlaceholderData}
      error={pages.error}
      retry={() => void pages.refetch()}
      more={moreOf(pages)}
    />
  );
}
