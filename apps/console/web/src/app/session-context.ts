import { hasRight } from '@rewardhook/contract/rights';
import type { Right } from '@rewardhook/contract/rights';
import { createContext, useContext } from 'react';
import type { SessionView } from '../data/types.ts';

export const SessionContext = createContext<SessionView | null>(null);

/** The current session. Only for components below `SessionContext`. */
export function useSession(): SessionView {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession needs a SessionContext');
  return session;
}

/** Whether the user's role has a right. */
export const useRight = (right: Right): boolean => hasRight(useSession().role, right);
