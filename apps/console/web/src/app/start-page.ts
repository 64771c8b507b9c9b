import type { ConsoleRole } from '../data/types.ts';

/** The room of each kind of person. The others have the home page. */
const startPages: Partial<Record<ConsoleRole, string>> = {
  developer: '/webhooks',
  marketer: '/performance',
  support: '/orders',
};

/** The page that a sign-in without a target opens. */
export const startPageOf = (role: ConsoleRole): string => startPages[role] ?? '/';
