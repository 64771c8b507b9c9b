import { lazy, useState } from 'react';
import type { ComponentType } from 'react';

/** A page with a chunk of its own. */
export interface LazyPage {
  (): React.ReactNode;
  /** Loads the chunk. Afterwards, the page renders immediately. */
  preload(): Promise<unknown>;
}

/**
 * Creates a page from the function that loads its chunk. `lazy` alone suspends even when the chunk is loaded, and React
 * then shows the fallback for at least 300 ms.
 */
export function lazyPage(load: () => Promise<ComponentType>): LazyPage {
  let loaded: ComponentType | undefined;
  const preload = async () => ({ default: (loaded = await load()) });
  const Suspended = lazy(preload);
  function Page() {
    const [Content] = useState(() => loaded ?? Suspended);
    return <Content />;
  }
  return Object.assign(Page, { preload });
}
