import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { CsvButton } from './csv-button.tsx';
import type { ExportedList } from './csv-button.tsx';
import type { DocsTarget } from './docs-link.tsx';
import { EmptyState } from './empty-state.tsx';
import type { EmptyStateProps } from './empty-state.tsx';
import { Page } from './page.tsx';
import { PagedList } from './paged-list.tsx';
import type { PagedListProps } from './paged-list.tsx';
import { Section } from './section.tsx';
import type { Filters } from './use-filters.tsx';

/** A page with a list, as data. */
interface ListPageProps<Row> extends Omit<PagedListProps<Row>, 'caption' | 'empty'> {
  title: string;
  lead: string;
  docs?: DocsTarget;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** The list that can be downloaded as it is filtered. */
  csv?: ExportedList;
  /** Above the list. */
  notices?: ReactNode;
  filters?: Filters;
  /** Between the filters and the list. */
  summary?: ReactNode;
  /** Shown without a row: what is missing, and the next step. */
  empty: EmptyStateProps;
  /** Shown when no row matches the filters. */
  noMatches?: string;
  /** Below the list. */
  children?: ReactNode;
}

/** A page with a list: its filters, rows, export and empty states. */
export function ListPage<Row extends object>({
  title,
  lead,
  docs,
  actions,
  csv,
  notices,
  filters,
  summary,
  empty,
  noMatches,
  children,
  ...list
}: ListPageProps<Row>) {
  const { t } = useTranslation();
  const [path] = useLocation();
  const query = filters?.query ?? {};
  const isFiltered = Object.keys(query).length > 0;
  return (
    <Page
      title={title}
      lead={lead}
      {...(docs && { docs })}
      actions={
        (csv ?? actions) && (
          <>
            {csv && <CsvButton list={csv} filter={query} />}
            {actions}
          </>
        )
      }
    >
      {notices}
      {filters?.bar}
      {summary}
      <Section flush>
        <PagedList
          {...list}
          caption={title}
          empty={
            isFiltered ? (
              <EmptyState
                title={t('common.noResults')}
                text={noMatches ?? t('common.noMatches')}
                next={{ to: path, label: t('common.clearFilters') }}
              />
            ) : (
              <EmptyState {...empty} />
            )
          }
        />
      </Section>
      {children}
    </Page>
  );
}
