import { IconChevronLeft } from '@tabler/icons-react';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { shownMode } from '../app/mode.ts';
import { useHeading } from './heading-focus.ts';
import { DocsLink } from './docs-link.tsx';
import type { DocsTarget } from './docs-link.tsx';
import classes from './page.module.css';

interface PageProps {
  title: string;
  /** Shown beside the title, such as a state. */
  aside?: ReactNode;
  lead?: ReactNode;
  actions?: ReactNode;
  back?: { to: string; label: string };
  /** Where the documents describe what the page shows. */
  docs?: DocsTarget;
  children: ReactNode;
}

/** The frame of a page. Its heading takes the focus after navigation. */
export function Page({ title, aside, lead, actions, back, docs, children }: PageProps) {
  const { t } = useTranslation();
  const isTest = shownMode() === 'test';
  const heading = useHeading();
  useEffect(() => {
    document.title = [title, ...(isTest ? [t('testSide.modes.test')] : []), 'Rewardhook'].join(' · ');
  }, [title, isTest, t]);
  return (
    <div className={classes['page']}>
      <header>
        {back && (
          <Link to={back.to} className={classes['back']}>
            <IconChevronLeft size={15} aria-hidden /> {back.label}
          </Link>
        )}
        <div className={classes['head']}>
          <div>
            <h1 ref={heading} tabIndex={-1} className={classes['title']}>
              {title} {aside}
            </h1>
            {lead && <p className={classes['lead']}>{lead}</p>}
          </div>
          {(docs || actions) && (
            <div className={classes['actions']}>
              {docs && <DocsLink to={docs} />}
              {actions}
            </div>
          )}
        </div>
      </header>
      {children}
    </div>
  );
}
