import { createContext, useContext } from 'react';
import type { SessionView } from '../api/types.ts';

export const SessionContext = createContext<SessionView | null>(null);

/** The session of who is signed in; only below the shell. */
export function useSession(): SessionView {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is for pages behind the sign-in');
  return session;
}

/** What the role allows: `write` all but team and merchant, `own` these too. */
export function usePermissions(): { write: boolean; own: boolean } {
  const { role } = useSession();
  return { write: role !== 'viewer', own: role === 'owner' };
}
