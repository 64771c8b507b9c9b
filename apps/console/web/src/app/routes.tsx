import { Loader } from '@mantine/core';
import { Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { useSessionQuery } from '../api/session.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Shell } from '../shell/shell.tsx';
import { loadAllPages, privatePages, publicPages } from './pages.ts';
import { NotFound } from './not-found.tsx';
import { SessionContext } from './session-context.ts';

const waiting = <Loader aria-label="…" style={{ position: 'fixed', inset: 0, margin: 'auto' }} />;

/** How long after the first page the others are loaded, in milliseconds. */
const quietAfter = 1_500;

/** Which page is shown for which path. The others are loaded in a quiet moment, so that going to one is not waited for. */
export function Routes() {
  useEffect(() => {
    const timer = setTimeout(() => void loadAllPages(), quietAfter);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Suspense fallback={waiting}>
      <Switch>
        {publicPages.map(({ path, page }) => (
          <Route key={path} path={path} component={page} />
        ))}
        <Route component={Private} />
      </Switch>
    </Suspense>
  );
}

/** The pages behind the sign-in; who is not signed in comes back to the same page afterwards. */
function Private() {
  const session = useSessionQuery();
  const [location] = useLocation();
  const search = useSearch();
  if (session.data === null) {
    const here = `${location}${search && `?${search}`}`;
    // In place of the page, so that Back leads out and not here again.
    return <Redirect replace to={here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`} />;
  }
  if (!session.data)
    return session.error ? (
      <main style={{ maxWidth: 480, margin: '20vh auto', padding: 16 }}>
        <ErrorNotice error={session.error} retry={() => void session.refetch()} />
      </main>
    ) : (
      waiting
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
