import { createContext, useContext } from 'react';
import type { SessionView } from '../data/types.ts';

export const SessionContext = createContext<SessionView | null>(null);

/** The current session. Only for components below `SessionContext`. */
export function useSession(): SessionView {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession needs a SessionContext');
  return session;
}

/** What the user's role allows. `canEdit`: everything except team and merchant. `canManage`: these too. */
export function usePermissions(): { canEdit: boolean; canManage: boolean } {
  const { role } = useSession();
  return { canEdit: role === 'owner' || role === 'developer', canManage: role === 'owner' };
}
