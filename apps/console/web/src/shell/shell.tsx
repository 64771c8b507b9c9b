import { Burger, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { useSession } from '../app/session-context.ts';
import { useIsPasswordRequested } from '../data/password-request.ts';
import { requestHeadingFocus } from '../ui/heading-focus.ts';
import { Brand } from './brand.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { OutdatedNotice } from './outdated-notice.tsx';
import { SearchIcon } from './search-button.tsx';
import classes from './shell.module.css';
import { PauseBanner } from './pause-banner.tsx';
import { SideBar } from './side-bar.tsx';
import { TestBanner } from './test-banner.tsx';
import { usePalette } from './use-palette.tsx';

/** A chunk of its own: it is rarely opened. */
const PasswordDialog = lazy(() =>
  import('./password-dialog.tsx').then((module) => ({ default: module.PasswordDialog })),
);

/** The frame of the pages that need a sign-in: navigation at the side, in a drawer on small screens. */
export function Shell({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const session = useSession();
  const search = usePalette(session);
  const isPasswordRequested = useIsPasswordRequested();
  const [opened, drawer] = useDisclosure(false);
  const [location] = useLocation();
  const before = useRef(location);
  if (before.current !== location) {
    before.current = location;
    requestHeadingFocus();
  }
  useEffect(() => {
    drawer.close();
    // With a hash, the page itself scrolls to its section.
    if (!window.location.hash) scrollTo(0, 0);
  }, [location]);
  return (
    <div className={classes['shell']}>
      <a className={classes['skip']} href="#content">
        {t('shell.skip')}
      </a>
      <div className={classes['side']}>
        <SideBar onSearch={search.open} />
      </div>
      {search.palette}
      <header className={classes['top']}>
        <Burger
          opened={opened}
          onClick={drawer.toggle}
          size="sm"
          aria-label={t('shell.menu')}
          aria-expanded={opened}
        />
        <Brand name={session.merchant.name} />
        <SearchIcon onClick={search.open} />
      </header>
      <Drawer
        opened={opened}
        onClose={drawer.close}
        size={280}
        padding={0}
        withCloseButton={false}
        attributes={{ content: { 'aria-label': t('shell.menu') } }}
        styles={{ body: { height: '100%' }, content: { background: 'var(--panel)' } }}
      >
        <SideBar />
      </Drawer>
      <main id="content" className={classes['main']} tabIndex={-1}>
        <TestBanner />
        <PauseBanner />
        <OutdatedNotice />
        {children}
      </main>
      <LeaveDialog />
      <Suspense fallback={null}>{isPasswordRequested && <PasswordDialog />}</Suspense>
    </div>
  );
}
