import type { Request } from 'express';
import { findSession } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { ConsoleRole } from '../api-types.ts';
import type { SessionCookie } from './session-cookie.ts';
import { sessionTimes } from './session-times.ts';

/** Who asks, and for which merchant. */
export interface Session {
  userId: string;
  email: string;
  merchantId: string;
  role: ConsoleRole;
  idSha256: Buffer;
}

/** Finds the session of a request, if it has one that lasts. */
export type ReadSession = (request: Request) => Promise<Session | undefined>;

/** Opens the look-up of sessions by the cookie. */
export function openReadSession(database: Database, cookie: SessionCookie): ReadSession {
  return async (request) => {
    const idSha256 = cookie.read(request);
    if (!idSha256) return undefined;
    const session = await findSession(database, idSha256, sessionTimes);
    return session && { ...session, idSha256 };
  };
}
