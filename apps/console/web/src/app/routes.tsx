import { Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { useSessionQuery } from '../data/session.ts';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { basePathOf, shownMode } from './mode.ts';
import { privatePages, publicPages, Shell } from './pages.ts';
import { preloadRoomWhenIdle } from './preload.ts';
import { NotFound } from './not-found.tsx';
import { SessionContext } from './session-context.ts';

const loading = <Loader aria-label="…" style={{ position: 'fixed', inset: 0, margin: 'auto' }} />;

/** Renders the page of the current path. */
export function Routes() {
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
  const client = useQueryClient();
  const isSignedIn = Boolean(session.data);
  useEffect(
    () => (isSignedIn ? preloadRoomWhenIdle(location, () => client.isFetching() > 0) : undefined),
    [client, isSignedIn, location],
  );
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
