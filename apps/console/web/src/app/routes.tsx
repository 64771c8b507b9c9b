import { Loader } from '@mantine/core';
import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { useSessionQuery } from '../api/session.ts';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { Shell } from '../shell/shell.tsx';
import { Invitation, privatePages, SignIn, SignUp } from './pages.ts';
import { NotFound } from './not-found.tsx';
import { SessionContext } from './session-context.ts';

const waiting = <Loader aria-label="…" style={{ position: 'fixed', inset: 0, margin: 'auto' }} />;

/** Which page is shown for which path. */
export function Routes() {
  return (
    <Suspense fallback={waiting}>
      <Switch>
        <Route path="/sign-in" component={SignIn} />
        <Route path="/sign-up" component={SignUp} />
        <Route path="/invitations/:token" component={Invitation} />
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
    return <Redirect to={here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`} />;
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
