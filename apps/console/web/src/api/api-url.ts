import type { SessionView } from './types.ts';

/** Where the merchant's API answers, as the server tells; where it does not, the console's own origin. */
export function apiUrlOf(session: SessionView): string {
  return (session.api_url ?? location.origin).replace(/\/$/, '');
}
