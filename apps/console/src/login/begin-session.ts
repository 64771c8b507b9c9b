import type { Request, Response } from 'express';
import { deleteSession, insertSession } from '@rewardhook/database';
import type { SessionView } from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { sessionTimes } from './session-times.ts';
import { viewSession } from './session-view.ts';

/**
 * Begins a session under a new id, whatever id the browser came with: that one ends, so that nobody who knew it before
 * the login is signed in by it.
 */
export async function beginSession(
  parts: ConsoleParts,
  call: { request: Request; response: Response },
  who: { userId: string; email: string; merchantId: string },
): Promise<SessionView> {
  const { database, cookie } = parts;
  const before = cookie.read(call.request);
  if (before) await deleteSession(database, before);
  const view = await viewSession(parts, who);
  const { userId, merchantId } = who;
  const userAgent = (call.request.get('user-agent') ?? '').slice(0, 200);
  const idSha256 = cookie.issue(call.response);
  await insertSession(database, { idSha256, userId, merchantId, userAgent }, sessionTimes);
  return view;
}
