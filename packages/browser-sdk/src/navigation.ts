/** What the SDK uses of a page that changes its URL without being loaded again. */
interface NavigatingPage {
  addEventListener?(type: 'popstate', listen: () => void): void;
  /** The Navigation API, where the browser has it. It also reports history.pushState. */
  navigation?: { addEventListener(type: 'currententrychange', listen: () => void): void };
}

let isWatched = false;

/** Calls `listen` when the URL of the page has changed. In a browser without the Navigation API: only for back and forward. */
export function watchNavigation(listen: () => void): void {
  if (isWatched) return;
  isWatched = true;
  const page = globalThis as unknown as NavigatingPage;
  page.addEventListener?.('popstate', listen);
  page.navigation?.addEventListener('currententrychange', listen);
}
