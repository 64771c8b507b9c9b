import { lazy, useState } from 'react';
import type { ComponentType } from 'react';

/** A page in a chunk of its own. */
export interface LazyPage {
  (): React.ReactNode;
  /** Loads the chunk; the page then renders at once. */
  preload(): Promise<unknown>;
}

/**
 * Makes a page of what loads it. `lazy` alone suspends even when the chunk is there, and React then shows the fallback
 * for 300 ms at least.
 */
export function pageOf(load: () => Promise<ComponentType>): LazyPage {
  let loaded: ComponentType | undefined;
  const preload = async () => ({ default: (loaded = await load()) });
  const Suspended = lazy(preload);
  function Page() {
    const [Content] = useState(() => loaded ?? Suspended);
    return <Content />;
  }
  return Object.assign(Page, { preload });
}
