import { Burger, Button, Drawer } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { useSessionQuery } from '../../data/session.ts';
import { requestHeadingFocus } from '../../ui/heading-focus.ts';
import { Brand } from '../../shell/brand.tsx';
import { LanguageSwitch } from '../../shell/language-switch.tsx';
import { SchemeSwitch } from '../../shell/scheme-switch.tsx';
import { usePalette } from '../../shell/use-palette.tsx';
import classes from './docs-layout.module.css';
import { DocsNavigation } from './docs-navigation.tsx';

/** The frame of the documents: search above, navigation at the side (in a drawer on small screens). No sign-in needed. */
export function DocsLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [location] = useLocation();
  const [opened, drawer] = useDisclosure(false);
  const session = useSessionQuery().data ?? null;
  const search = usePalette(session);
  const searchLabel = t(session ? 'search.open' : 'docs.search');
  useHotkeys([['/', search.open]]);
  useEffect(() => drawer.close(), [location]);
  return (
    <div className={classes['frame']}>
      <a className={classes['skip']} href="#content">
        {t('shell.skip')}
      </a>
      <header className={classes['top']}>
        <Burger
          className={classes['burger']}
          opened={opened}
          onClick={drawer.toggle}
          size="sm"
          aria-label={t('shell.menu')}
          aria-expanded={opened}
        />
        <Link to="/docs" className={classes['brand']} onClick={requestHeadingFocus}>
          <Brand name={t('docs.title')} />
        </Link>
        <Button
          className={classes['search']}
          variant="default"
          color="gray"
          justify="flex-start"
          leftSection={<IconSearch size={16} aria-hidden />}
          aria-label={searchLabel}
          onClick={search.open}
        >
          <span className={classes['searchText']}>{searchLabel}</span>
        </Button>
        <div className={classes['switches']}>
          <LanguageSwitch />
          <SchemeSwitch />
          <Link to="/" className={classes['console']}>
            {t('docs.console')}
          </Link>
        </div>
      </header>
      <aside className={classes['side']}>
        <DocsNavigation />
      </aside>
      <Drawer
        opened={opened}
        onClose={drawer.close}
        size={280}
        padding="md"
        withCloseButton={false}
        attributes={{ content: { 'aria-label': t('shell.menu') } }}
        styles={{ content: { background: 'var(--panel)' } }}
      >
        <DocsNavigation onChosen={drawer.close} />
      </Drawer>
      {search.palette}
      <main id="content" className={classes['main']} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
