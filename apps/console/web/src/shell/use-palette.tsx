import { lazy, Suspense, useEffect, useReducer } from 'react';
import type { SessionView } from '../data/types.ts';
import { navigation, shows } from './navigation.ts';

/** A chunk of its own, which the first search loads. */
const Palette = lazy(() => import('./palette.tsx').then((module) => ({ default: module.Palette })));

/**
 * The search, which Ctrl-K (Cmd-K on a Mac) opens, also while a field has the focus. Render `palette`; `open` is for buttons. Without a
 * session only documents are searched.
 */
export function usePalette(session: SessionView | null) {
  const [openings, open] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    // Every page has this: the hook of Mantine for keys is larger than all the rest of it.
    const openByKeys = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
      if (!/^k$/i.test(key) || ctrlKey === metaKey || shiftKey || altKey) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', openByKeys);
    return () => removeEventListener('keydown', openByKeys);
  }, []);
  // Handed on, so that the menu and the search do not share one more chunk.
  const pages = session
    ? navigation.flatMap(({ items }) => items).filter((item) => shows(session.role, item))
    : [];
  const palette = (
    <Suspense fallback={null}>
      {openings > 0 && <Palette openings={openings} session={session} pages={pages} />}
    </Suspense>
  );
  return { open, palette };
}
