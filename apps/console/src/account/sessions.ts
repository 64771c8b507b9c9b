import type { Request, Response } from 'express';
import {
  countMerchantProblems,
  deleteSession,
  findMerchant,
  findPendingContact,
  findSession,
  insertSession,
  listMemberships,
  noteAudit,
} from '@rewardhook/database';
import type { Database, MerchantPause, SessionTimes } from '@rewardhook/database';
import { openSemaphore } from '@rewardhook/process';
import type { ConsoleRole, PauseView, SessionView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuse } from '../http/console-error.ts';
import type { SessionCookie } from './session-cookie.ts';

/** A session ends after 12 hours without a request, and after 30 days at the latest. */
export const sessionTimes: SessionTimes = { idleSeconds: 12 * 3_600, maxSeconds: 30 * 86_400 };

/** The signed-in user of a request, and the merchant that they have selected. */
export interface Session {
  userId: string;
  email: string;
  /** The live merchant. Routes get the id of the selected side as `merchantId` of their call. */
  merchantId: string;
  role: ConsoleRole;
  /** Whether the password was entered in this session within the last 10 minutes. */
  enteredPassword: boolean;
  idSha256: Buffer;
}

/** The user of a session as the audit names them. */
export const actorOf = ({ userId, email }: Pick<Session, 'userId' | 'email'>) =>
  ({ kind: 'user', id: userId, email }) as const;

/** Finds the session of a request; undefined when there is none, or when it has ended. */
export type ReadSession = (request: Request) => Promise<Session | undefined>;

/** Reads of sessions at a time: a query that waits for a connection takes much more memory than a request that waits for its turn. */
const readsAtATime = 8;

/** Opens the lookup of sessions by the cookie. Sessions with many requests at a time alternate with the others. */
export function openReadSession(database: Database, cookie: SessionCookie): ReadSession {
  const reads = openSemaphore({ permits: () => readsAtATime });
  return async (request) => {
    const idSha256 = cookie.read(request);
    if (!idSha256) return undefined;
    const release = await reads.acquire(idSha256.toString('base64'));
    const session = await findSession(database, idSha256, sessionTimes).finally(release);
    return session && { ...session, idSha256 };
  };
}

/**
 * Starts a session with a new id and ends the session whose id the browser sent, so that an id that was known before
 * the login gives no access (session fixation).
 * @throws ConsoleError `wrong_credentials` when the password was changed after it was verified
 */
export async function startSession(
  dependencies: ConsoleDependencies,
  call: { request: Request; response: Response },
  user: {
    userId: string;
    email: string;
    passwordHash: string;
    merchantId: string;
    /** Whether they have just entered or chosen their password. */
    enteredPassword: boolean;
  },
): Promise<SessionView> {
  const { database, cookie, device } = dependencies;
  noteAudit({ actor: actorOf(user), merchantId: user.merchantId, subjectId: user.userId });
  const previousId = cookie.read(call.request);
  if (previousId) await deleteSession(database, previousId);
  const view = await readSessionView(dependencies, user);
  const { userId, passwordHash, merchantId, enteredPassword } = user;
  const userAgent = (call.request.get('user-agent') ?? '').slice(0, 200);
  const idSha256 = cookie.issue(call.response);
  const session = { idSha256, userId, passwordHash, merchantId, userAgent, enteredPassword };
  if (!(await insertSession(database, session, sessionTimes))) throw refuse('wrong_credentials');
  device.issue(call.request, call.response, user.email);
  return view;
}

/** Reads the user of a session, the selected merchant, and all merchants that the user belongs to. */
export async function readSessionView(
  { database, apiPublicUrl }: Pick<ConsoleDependencies, 'database' | 'apiPublicUrl'>,
  session: { userId: string; email: string; merchantId: string },
): Promise<SessionView> {
  const { userId, email, merchantId } = session;
  const [merchant, pendingContact, openProblems, memberships] = await Promise.all([
    findMerchant(database, merchantId),
    findPendingContact(database, merchantId),
    countMerchantProblems(database, merchantId),
    listMemberships(database, userId),
  ]);
  const current = memberships.find((membership) => membership.merchantId === merchantId);
  if (!merchant || !current) throw new Error('the merchant of the session does not exist');
  return {
    user: { id: userId, email },
    role: current.role,
    merchant: {
      id: merchant.id,
      name: merchant.name,
      timezone: merchant.timezone,
      manual_reward_limit: merchant.manualRewardLimit,
      contact_email: merchant.contactEmail,
      contact_email_pending: pendingContact ?? null,
      pause: toPauseView(merchant),
      open_problems: openProblems,
    },
    api_url: apiPublicUrl ?? null,
    merchants: memberships.map(({ merchantId: id, name, role }) => ({
      id,
      name,
      role,
    })),
  };
}

function toPauseView({ ingestPausedAt, deliveryPausedAt, pauseContact }: MerchantPause): PauseView | null {
  if (pauseContact === null) return null;
  return {
    ingest_since: ingestPausedAt?.toISOString() ?? null,
    delivery_since: deliveryPausedAt?.toISOString() ?? null,
    contact: pauseContact,
  };
}
