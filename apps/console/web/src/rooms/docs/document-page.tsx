import { Loader } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { requestHeadingFocus, useHeading } from '../../ui/heading-focus.ts';
import type { Language } from '../../app/language.ts';
import { Blocks } from './blocks.tsx';
import { DocsLayout } from './docs-layout.tsx';
import classes from './document-page.module.css';
import { textOf } from './document.ts';
import type { HeadingBlock, MarkdownDocument } from './document.ts';
import { documentQuery } from './load-document.ts';
import { documentSlugs } from './slugs.ts';
import type { DocumentSlug } from './slugs.ts';

/** A document for merchants' developers, at /docs/<slug>. /docs is the first one. */
export function DocumentPage() {
  const { t } = useTranslation();
  const [location] = useLocation();
  const name = location.split('/')[2] ?? documentSlugs[0];
  const slug = documentSlugs.find((one) => one === name);
  return (
    <DocsLayout>
      {slug ? (
        <LoadedDocument key={slug} slug={slug} />
      ) : (
        <div className={classes['article']}>
          <h1 className={classes['title']}>{t('notFound.title')}</h1>
          <EmptyState title={t('notFound.text')} />
        </div>
      )}
    </DocsLayout>
  );
}

function LoadedDocument({ slug }: { slug: DocumentSlug }) {
  const { i18n } = useTranslation();
  const query = useQuery(documentQuery(slug, i18n.language as Language));
  if (query.data) return <Article slug={slug} document={query.data} />;
  if (query.error)
    return (
      <div className={classes['article']}>
        <ErrorNotice error={query.error} retry={() => void query.refetch()} />
      </div>
    );
  return <Loader aria-label="…" className={classes['loader']} />;
}

function Article({ slug, document: { title, blocks } }: { slug: DocumentSlug; document: MarkdownDocument }) {
  const heading = useHeading();
  useEffect(() => {
    document.title = `${title} · Rewardhook`;
  }, [title]);
  useEffect(() => {
    const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    if (target) target.scrollIntoView();
    else scrollTo(0, 0);
  }, []);
  const headings = blocks.filter((block): block is HeadingBlock => block.kind === 'heading');
  return (
    <div className={classes['columns']}>
      <article className={classes['article']}>
        <h1 ref={heading} tabIndex={-1} className={classes['title']}>
          {title}
        </h1>
        <Contents headings={headings} compact />
        <Blocks blocks={blocks} />
        <Neighbours slug={slug} />
      </article>
      <aside className={classes['contents']}>
        <Contents headings={headings} />
      </aside>
    </div>
  );
}

/** The table of contents: beside the text, or above it on small screens. */
function Contents({ headings, compact = false }: { headings: HeadingBlock[]; compact?: boolean }) {
  const { t } = useTranslation();
  if (headings.length < 2) return null;
  const list = (
    <ul className={classes['headings']}>
      {headings.map(({ id, level, text }) => (
        <li key={id} className={level > 2 ? classes['nested'] : undefined}>
          <a href={`#${id}`}>{textOf(text)}</a>
        </li>
      ))}
    </ul>
  );
  return compact ? (
    <details className={classes['compact']}>
      <summary>{t('docs.onThisPage')}</summary>
      {list}
    </details>
  ) : (
    <nav aria-label={t('docs.onThisPage')}>
      <p className={classes['contentsName']}>{t('docs.onThisPage')}</p>
      {list}
    </nav>
  );
}

/** Links to the documents before and after this one. */
function Neighbours({ slug }: { slug: DocumentSlug }) {
  const { t } = useTranslation();
  const position = documentSlugs.indexOf(slug);
  const before = documentSlugs[position - 1];
  const after = documentSlugs[position + 1];
  return (
    <nav className={classes['neighbours']} aria-label={t('docs.neighbours')}>
      {before && (
        <Link to={`/docs/${before}`} onClick={requestHeadingFocus}>
          <IconChevronLeft size={16} aria-hidden /> {t(`docs.names.${before}`)}
        </Link>
      )}
      {after && (
        <Link to={`/docs/${after}`} className={classes['after']} onClick={requestHeadingFocus}>
          {t(`docs.names.${after}`)} <IconChevronRight size={16} aria-hidden />
        </Link>
      )}
    </nav>
  );
}
