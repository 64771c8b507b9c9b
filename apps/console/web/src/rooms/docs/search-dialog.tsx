import { Modal, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import type { Language } from '../../app/language.ts';
import { DocLink } from './doc-link.tsx';
import { loadAllDocuments } from './load-document.ts';
import classes from './search-dialog.module.css';
import { excerptOf, indexSections, sectionsOf } from './search-index.ts';

/** Searches all documents in the language of the page. The index is built when the dialog is first opened. */
export function SearchDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t, i18n } = useTranslation();
  const [query, setQuery] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const language = i18n.language as Language;
  const index = useQuery({
    queryKey: ['docs', 'search', language],
    queryFn: async () =>
      indexSections(
        (await loadAllDocuments(language)).flatMap(([slug, document]) => sectionsOf(slug, document)),
      ),
    enabled: opened,
    staleTime: Number.POSITIVE_INFINITY,
    // The result is a function.
    structuralSharing: false,
  });
  const found = query.trim() && index.data ? index.data(query) : [];
  const moveFocus = (event: KeyboardEvent, by: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])];
    const next = links[links.indexOf(document.activeElement as HTMLAnchorElement) + by];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('docs.search')}
      size="lg"
      centered={false}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <div
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') moveFocus(event, 1);
          if (event.key === 'ArrowUp') moveFocus(event, -1);
        }}
      >
        <TextInput
          type="search"
          aria-label={t('docs.search')}
          placeholder={t('docs.searchHint')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') list.current?.querySelector('a')?.click();
          }}
          data-autofocus
        />
        <ErrorNotice error={index.error} retry={() => void index.refetch()} />
        <p className="visually-hidden" role="status">
          {query.trim() && index.data ? t('docs.found', { count: found.length }) : ''}
        </p>
        {query.trim() && index.data && found.length === 0 && (
          <p className={classes['none']}>{t('docs.nothingFound', { query: query.trim() })}</p>
        )}
        <ul ref={list} className={classes['results']}>
          {found.map((section) => (
            <li key={section.path}>
              <DocLink to={section.path} className={classes['result']} onClick={onClose}>
                <span className={classes['name']}>
                  {section.title}
                  {section.heading && ` · ${section.heading}`}
                </span>
                <span className={classes['excerpt']}>{excerptOf(section, query)}</span>
              </DocLink>
            </li>
          ))}
        </ul>
      </div>
    </Modal>
  );
}
