import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { useSessionQuery } from '../api/session.ts';

/** A page for who is not signed in; others go on to `next`. Where the server does not answer the page is shown. */
export function SignedOutOnly({ next = '/', children }: { next?: string; children: ReactNode }) {
  const session = useSessionQuery();
  if (session.data) return <Redirect replace to={next} />;
  return session.isPending && session.failureCount === 0 ? null : children;
}
