/** What the SDK uses of a page that changes its URL without being loaded again. */
interface NavigatingPage {
  addEventListener?(type: 'popstate', listen: () => void): void;
  /** The Navigation API, where the browser has it. It also reports history.pushState. */
  navigation?: {
    addEventListener(
      type: 'currententrychange',
      listen: (event: { navigationType?: string | null }) => void,
    ): void;
  };
  history?: Record<'pushState' | 'replaceState', (...given: unknown[]) => unknown>;
  document?: {
    prerendering?: boolean;
    addEventListener(type: 'prerenderingchange', listen: () => void, options: { once: true }): void;
  };
  performance?: {
    timeOrigin: number;
    getEntriesByType(type: 'navigation'): { name: string; type: string; activationStart?: number }[];
  };
}

const page = globalThis as unknown as NavigatingPage;

let isWatched = false;

/** Calls `listen` when the URL of the page has changed, and says whether the visitor went back or forward. */
export function watchNavigation(listen: (isTraversal: boolean) => void): void {
  if (isWatched) return;
  isWatched = true;
  page.addEventListener?.('popstate', () => listen(true));
  if (page.navigation) {
    page.navigation.addEventListener('currententrychange', ({ navigationType }) =>
      listen(navigationType === 'traverse'),
    );
    return;
  }
  const { history } = page;
  if (!history) return;
  for (const name of ['pushState', 'replaceState'] as const) {
    const change = history[name];
    history[name] = function (this: unknown, ...given) {
      const result = change.apply(this, given);
      listen(false);
      return result;
    };
  }
}

/** How and when the page was loaded: from which URL, which a router may have changed since, and whether by a reload. */
export function loadOf(): { url: string; isNavigation: boolean; at: number } {
  const { performance } = page;
  const [entry] = performance?.getEntriesByType?.('navigation') ?? [];
  return {
    url: entry?.name ?? '',
    isNavigation: !/^(reload|back_forward)$/.test(entry?.type ?? ''),
    // A page that was prerendered counts from when it is shown.
    at: performance ? Math.round(performance.timeOrigin + (entry?.activationStart ?? 0)) : Date.now(),
  };
}

/** Runs a function when the page is shown: at once, unless the browser only prerenders it. */
export function whenShown(run: () => void): void {
  if (page.document?.prerendering) page.document.addEventListener('prerenderingchange', run, { once: true });
  else run();
}
