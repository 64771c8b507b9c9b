import { lazy, useState } from 'react';
import type { ComponentType } from 'react';

/** A component with a chunk of its own. */
export interface LazyComponent<Props> {
  (props: Props): React.ReactNode;
  /** Loads the chunk. Afterwards, the component renders immediately. */
  preload(): Promise<unknown>;
}

/**
 * Creates a component from the function that loads its chunk. `lazy` alone suspends even when the chunk is loaded, and React
 * then shows the fallback for at least 300 ms.
 */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => ({ default: (loaded = await load()) });
  const Suspended: ComponentType<Props> = lazy(preload);
  function Component(props: Props) {
    const [Content] = useState(() => loaded ?? Suspended);
    return <Content {...props} />;
  }
  return Object.assign(Component, { preload });
}
