import { Loader } from '@mantine/core';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SessionView } from '../data/types.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import classes from './palette.module.css';
import type { NavigationItem } from './navigation.ts';
import { useFound } from './use-found.ts';

const [store, spotlight] = createSpotlight();

/** A list that scrolls can be scrolled by keyboard. Spotlight hands it on to its ScrollArea. */
const scrollsByKeyboard = { viewportProps: { tabIndex: 0 } };

interface PaletteProps {
  openings: number;
  session: SessionView | null;
  /** The pages of the console that the session has. */
  pages: NavigationItem[];
}

/** The search in a dialog, by keyboard: arrows choose, Enter opens. Each number of `openings` opens it. */
export function Palette({ openings, session, pages }: PaletteProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [left, setLeft] = useState(false);
  const { groups, shownText, pending, error, retry } = useFound(text.trim(), session, pages);
  useEffect(() => {
    setLeft(false);
    spotlight.open();
  }, [openings]);
  // A dialog that was unmounted while it was open must not be open when the next page mounts it.
  useEffect(() => () => spotlight.close(), []);
  const label = t(session ? 'search.label' : 'docs.search');
  const found = groups.flatMap(({ items }) => items);
  const chosen = found[useSpotlight(store).selected]?.name;
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={text}
      onQueryChange={setText}
      centered={false}
      // The page that is opened takes the focus.
      returnFocus={!left}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      attributes={{ content: { 'aria-label': label } }}
    >
      <Spotlight.Search
        type="search"
        maxLength={255}
        aria-label={label}
        placeholder={t(session ? 'search.hint' : 'docs.searchHint')}
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={pending && <Loader size="xs" aria-label={t('common.loading')} />}
      />
      <ErrorNotice error={error} retry={retry} />
      <p className="visually-hidden" role="status">
        {shownText && !pending ? [t('search.found', { count: found.length }), chosen].join(', ') : ''}
      </p>
      {found.length > 0 && (
        <Spotlight.ActionsList key={shownText} {...scrollsByKeyboard}>
          {groups.map((group) => (
            <Spotlight.ActionsGroup
              key={group.label}
              className={classes['group']}
              label={group.label}
              role="group"
              aria-label={group.label}
            >
              {group.items.map(({ key, name, about, open }) => (
                <Spotlight.Action
                  key={key}
                  className={classes['action']}
                  // The first one is chosen; the arrows move the attribute.
                  data-selected={(shownText !== '' && key === found[0]?.key) || undefined}
                  label={name}
                  description={about}
                  // Enter waits for what was typed.
                  disabled={pending}
                  onClick={() => {
                    setLeft(true);
                    open();
                  }}
                />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </Spotlight.ActionsList>
      )}
      {found.length === 0 && shownText && !pending && !error && (
        <Spotlight.Empty>{t('search.nothing', { text: shownText })}</Spotlight.Empty>
      )}
    </Spotlight.Root>
  );
}
