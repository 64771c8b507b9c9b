import { lazy, useState } from 'react';
import type { ComponentType } from 'react';
import { loadTexts } from './i18n.ts';
import type { Room } from './i18n.ts';

/** A page with a chunk of its own. */
export interface LazyPage {
  (): React.ReactNode;
  /** Loads the chunk and the texts. Afterwards, the page renders immediately. */
  preload(): Promise<unknown>;
}

/**
 * Creates a page of a room from the function that loads its chunk. `lazy` alone suspends even when the chunk is loaded, and React
 * then shows the fallback for at least 300 ms.
 */
export function lazyPage(room: Room, load: () => Promise<ComponentType>): LazyPage {
  let loaded: ComponentType | undefined;
  const preload = async () => {
    const [content] = await Promise.all([load(), loadTexts(room)]);
    return { default: (loaded = content) };
  };
  const Suspended = lazy(preload);
  function Page() {
    const [Content] = useState(() => loaded ?? Suspended);
    return <Content />;
  }
  return Object.assign(Page, { preload });
}
