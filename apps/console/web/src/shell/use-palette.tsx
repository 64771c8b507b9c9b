import { useHotkeys } from '@mantine/hooks';
import { lazy, Suspense, useReducer } from 'react';
import type { SessionView } from '../data/types.ts';

/** A chunk of its own, which the first search loads. */
const Palette = lazy(() => import('./palette.tsx').then((module) => ({ default: module.Palette })));

/**
 * The search, which Ctrl-K (Cmd-K on a Mac) opens, also while a field has the focus. Render `palette`; `open` is for buttons. Without a
 * session only documents are searched.
 */
export function usePalette(session: SessionView | null) {
  const [openings, open] = useReducer((count: number) => count + 1, 0);
  useHotkeys([['mod+K', open]], [], true);
  const palette = (
    <Suspense fallback={null}>{openings > 0 && <Palette openings={openings} session={session} />}</Suspense>
  );
  return { open, palette };
}
