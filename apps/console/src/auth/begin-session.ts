import type { Request, Response } from 'express';
import { deleteSession, insertSession } from '@rewardhook/database';
import type { SessionView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { sessionTimes } from './session-times.ts';
import { viewSession } from './session-view.ts';
import { wrongCredentials } from './wrong-credentials.ts';

/**
 * Begins a session under a new id, whatever id the browser came with: that one ends, so that nobody who knew it before
 * the login is signed in by it.
 * @throws ConsoleError `wrong_credentials` when the password has changed since it was looked at
 */
export async function beginSession(
  parts: ConsoleDependencies,
  call: { request: Request; response: Response },
  who: { userId: string; email: string; passwordHash: string; merchantId: string },
): Promise<SessionView> {
  const { database, cookie, device } = parts;
  const before = cookie.read(call.request);
  if (before) await deleteSession(database, before);
  const view = await viewSession(parts, who);
  const { userId, passwordHash, merchantId } = who;
  const userAgent = (call.request.get('user-agent') ?? '').slice(0, 200);
  const idSha256 = cookie.issue(call.response);
  const session = { idSha256, userId, passwordHash, merchantId, userAgent };
  if (!(await insertSession(database, session, sessionTimes))) throw wrongCredentials();
  device.issue(call.request, call.response, who.email);
  return view;
}
