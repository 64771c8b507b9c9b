import { Loader } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { useSessionQuery } from '../data/session.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Shell } from '../shell/shell.tsx';
import { basePathOf, shownMode } from './mode.ts';
import { loadAllPages, privatePages, publicPages } from './pages.ts';
import { NotFound } from './not-found.tsx';
import { SessionContext } from './session-context.ts';

const loading = <Loader aria-label="…" style={{ position: 'fixed', inset: 0, margin: 'auto' }} />;

/** Delay after the first page until the other pages are loaded, in ms. */
const preloadDelay = 1_500;

/** Renders the page of the current path. The other pages are preloaded, so that navigation does not wait. */
export function Routes() {
  useEffect(() => {
    const timer = setTimeout(() => void loadAllPages(), preloadDelay);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Suspense fallback={loading}>
      <Switch>
        {publicPages.map(({ path, page }) => (
          <Route key={path} path={path} component={page} />
        ))}
        <Route component={PrivateRoutes} />
      </Switch>
    </Suspense>
  );
}

/** The pages that need a sign-in. Without a session, redirects to the sign-in page, which leads back here. */
function PrivateRoutes() {
  const session = useSessionQuery();
  const [location] = useLocation();
  const search = useSearch();
  if (session.data === null) {
    const target = `${basePathOf(shownMode())}${location}${search && `?${search}`}`;
    // Replaces the history entry, so that Back does not lead here again.
    return (
      <Redirect replace to={target === '/' ? '~/sign-in' : `~/sign-in?next=${encodeURIComponent(target)}`} />
    );
  }
  if (!session.data)
    return session.error ? (
      <main style={{ maxWidth: 480, margin: '20vh auto', padding: 16 }}>
        <ErrorNotice error={session.error} retry={() => void session.refetch()} />
      </main>
    ) : (
      loading
    );
  return (
    <SessionContext value={session.data}>
      <Shell key={session.data.merchant.id}>
        <Suspense fallback={null}>
          <Switch>
            {privatePages.map(({ path, page }) => (
              <Route key={path} path={path} component={page} />
            ))}
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </Shell>
    </SessionContext>
  );
}
