import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { startPageOf } from '../../app/start-page.ts';
import { useSessionQuery } from '../../data/session.ts';
import { useHeading } from '../../ui/heading-focus.ts';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Brand } from '../../shell/brand.tsx';
import classes from './auth-layout.module.css';
import { LanguageSwitch } from '../../shell/language-switch.tsx';
import { SchemeSwitch } from '../../shell/scheme-switch.tsx';

interface AuthLayoutProps {
  title: string;
  lead?: string;
  foot?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

/** The frame of the pages that need no sign-in. */
export function AuthLayout({ title, lead, foot, wide = false, children }: AuthLayoutProps) {
  const heading = useHeading();
  useEffect(() => {
    document.title = `${title} · Rewardhook`;
  }, [title]);
  return (
    <div className={classes['page']}>
      <header className={classes['top']}>
        <Brand name="Rewardhook" />
        <div>
          <DocsLink to="quickstart" />
          <LanguageSwitch />
          <SchemeSwitch />
        </div>
      </header>
      <main className={`${classes['main']} ${wide ? classes['wide'] : ''}`}>
        <h1 ref={heading} tabIndex={-1} className={classes['title']}>
          {title}
        </h1>
        {lead && <p className={classes['lead']}>{lead}</p>}
        <div className={classes['panel']}>{children}</div>
        {foot && <p className={classes['foot']}>{foot}</p>}
      </main>
    </div>
  );
}

/** Renders a page only for users who are not signed in, and redirects others to `next`, or else to the start page of their role. */
export function SignedOutOnly({ next, children }: { next?: string | undefined; children: ReactNode }) {
  const session = useSessionQuery();
  if (session.data) return <Redirect replace to={next ?? startPageOf(session.data.role)} />;
  // After a failed request the page is shown: the server may not respond.
  return session.isPending && session.failureCount === 0 ? null : children;
}
