import type { ReactNode } from 'react';
import { Router } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import type { AroundNavHandler } from 'wouter';
import { basePathOf, modeOfPath } from './mode.ts';
import { hasUnsaved, leave } from '../ui/unsaved-changes.ts';

/**
 * The router. Its paths begin below the start that selects the side of the merchant. Asks before a page with unsaved changes
 * is left through a link, Back, Forward or closing the tab.
 */
export function LeaveGuard({ children }: { children: ReactNode }) {
  const base = basePathOf(modeOfPath(usePathname()));
  return (
    <Router base={base} aroundNav={guardedNavigation}>
      {children}
    </Router>
  );
}

const guardedNavigation: AroundNavHandler = (navigate, to, options) => {
  // A change of the query only changes filters of the same page.
  if (new URL(to, location.href).pathname === location.pathname) navigate(to, options);
  else leave(() => navigate(to, options));
};

/**
 * Guards Back, Forward and closing the tab. Must be called before the router renders for the first time, because window
 * listeners run in the order of their registration.
 */
export function guardBrowser(): void {
  let shown = location.href;
  const rememberUrl = () => void (shown = location.href);
  addEventListener('popstate', (event) => {
    if (!hasUnsaved() || new URL(shown).pathname === location.pathname) return rememberUrl();
    // The browser has already changed the URL. Restore it before the router is notified.
    event.stopImmediatePropagation();
    history.pushState(history.state, '', shown);
    leave(() => history.back());
  });
  addEventListener('pushState', rememberUrl);
  addEventListener('replaceState', rememberUrl);
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault();
  });
}
