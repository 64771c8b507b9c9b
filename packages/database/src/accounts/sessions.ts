import { accountLimits } from '../merchants/account-limits.ts';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { readTime, secondsAfter } from '../client/database-clock.ts';
import type { TeamRole } from '../states.ts';

/** A session of a signed-in user. */
export interface Session {
  userId: string;
  email: string;
  merchantId: string;
  /** The current role, not that of the sign-in. */
  role: TeamRole;
  /** Whether the password was entered in this session within the last 10 minutes. */
  enteredPassword: boolean;
}

export interface NewSession {
  /** SHA-256 of its id; only the browser has the id itself. */
  idSha256: Uint8Array;
  userId: string;
  /** The hash of the password that the user signed in with. */
  passwordHash: string;
  merchantId: string;
  userAgent: string;
  /** Whether it begins with the password, and not with an invitation that a signed-in user accepts. */
  enteredPassword: boolean;
}

/** How long a session lasts: without a request, and at most. */
export interface SessionTimes {
  idleSeconds: number;
  maxSeconds: number;
}

/**
 * Inserts a session. False when the password hash has changed since it was read: a change ends all sessions, and the lock
 * on the user orders the two. Expired sessions are deleted, and so are the user's least recently used sessions beyond
 * `accountLimits.sessionsPerUser`.
 */
export async function insertSession(
  database: Database,
  { idSha256, userId, passwordHash, merchantId, userAgent, enteredPassword }: NewSession,
  { idleSeconds }: SessionTimes,
): Promise<boolean> {
  const now = await readTime(database);
  await database.session.deleteMany({ where: { expiresAt: { lte: now } } });
  return database.$transaction(async (tx) => {
    const locked = await tx.$executeRaw`
      SELECT 1 FROM users WHERE id = ${userId} AND password_hash = ${passwordHash} FOR NO KEY UPDATE`;
    if (locked === 0) return false;
    const startedAt = await readTime(tx);
    const started = {
      idSha256: new Uint8Array(idSha256),
      expiresAt: secondsAfter(startedAt, idleSeconds),
      passwordAt: enteredPassword ? startedAt : null,
    };
    await tx.session.create({ data: { ...started, userId, merchantId, userAgent } });
    const unused = await tx.session.findMany({
      where: { userId, NOT: { idSha256: started.idSha256 } },
      orderBy: [{ lastSeenAt: 'desc' }, { createdAt: 'desc' }],
      skip: accountLimits.sessionsPerUser - 1,
      select: { idSha256: true },
    });
    await tx.session.deleteMany({ where: { idSha256: { in: unused.map(({ idSha256: id }) => id) } } });
    await audit(tx);
    return true;
  });
}

/**
 * The session with this id, or undefined when it has ended. Reading a session extends it; that is written once a minute.
 * When the user does not belong to its merchant any more, it continues with another of their merchants, unless they have
 * selected one meanwhile. One statement, because every request of the console reads its session.
 */
export async function findSession(
  database: Database,
  idSha256: Uint8Array,
  { idleSeconds, maxSeconds }: SessionTimes,
): Promise<Session | undefined> {
  const [session] = await database.query<Session & { selected: string; isStale: boolean }>(
    `SELECT s.user_id AS "userId", u.email, m.merchant_id AS "merchantId", m.role, s.merchant_id AS selected,
       s.last_seen_at < now() - interval '1 minute' AS "isStale",
       coalesce(s.password_at > now() - interval '10 minutes', false) AS "enteredPassword"
     FROM sessions s
     JOIN users u ON u.id = s.user_id
     JOIN LATERAL (
       SELECT * FROM memberships m WHERE m.user_id = s.user_id
       ORDER BY m.merchant_id = s.merchant_id DESC, m.created_at, m.merchant_id
       LIMIT 1
     ) m ON true
     WHERE s.id_sha256 = $1 AND s.expires_at > now()`,
    [idSha256],
  );
  if (!session) return undefined;
  const { selected, isStale, ...found } = session;
  const { merchantId } = found;
  const where = { idSha256: new Uint8Array(idSha256) };
  if (isStale) await extendSession(database, where, { idleSeconds, maxSeconds });
  if (merchantId !== selected)
    await database.session.updateMany({ where: { ...where, merchantId: selected }, data: { merchantId } });
  return found;
}

async function extendSession(
  database: Database,
  where: { idSha256: Uint8Array<ArrayBuffer> },
  { idleSeconds, maxSeconds }: SessionTimes,
): Promise<void> {
  const session = await database.session.findUnique({ where, select: { createdAt: true } });
  if (!session) return;
  const now = await readTime(database);
  const ends = [secondsAfter(now, idleSeconds), secondsAfter(session.createdAt, maxSeconds)];
  const expiresAt = new Date(Math.min(...ends.map(Number)));
  await database.session.updateMany({ where, data: { lastSeenAt: now, expiresAt } });
}

/** Notes that the password was entered in a session. False when it has ended, as by a change of the password. */
export function updateSessionPassword(database: Database, idSha256: Uint8Array): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const where = { idSha256: new Uint8Array(idSha256) };
    const updated = await tx.session.updateMany({ where, data: { passwordAt: await readTime(tx) } });
    if (updated.count === 1) await audit(tx);
    return updated.count === 1;
  });
}

/** Deletes a session. False when it has ended already. */
async function deleteRow(tx: Transaction, idSha256: Uint8Array): Promise<boolean> {
  const deleted = await tx.session.deleteMany({ where: { idSha256: new Uint8Array(idSha256) } });
  return deleted.count === 1;
}

/** Deletes a session, if it exists. */
export async function deleteSession(database: Database, idSha256: Uint8Array): Promise<void> {
  await deleteRow(database, idSha256);
}

/** Ends a session at the request of its user. False when it has ended already. */
export function endSession(database: Database, idSha256: Uint8Array): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const ended = await deleteRow(tx, idSha256);
    if (ended) await audit(tx);
    return ended;
  });
}

/** Switches a session to another merchant of its user. False when the user does not belong to it. */
export async function updateSessionMerchant(
  prisma: Transaction,
  idSha256: Uint8Array,
  merchantId: string,
): Promise<boolean> {
  const updated = await prisma.session.updateMany({
    where: { idSha256: new Uint8Array(idSha256), user: { memberships: { some: { merchantId } } } },
    data: { merchantId },
  });
  return updated.count === 1;
}

/** The same in a transaction of its own. */
export function selectSessionMerchant(
  database: Database,
  idSha256: Uint8Array,
  merchantId: string,
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const updated = await updateSessionMerchant(tx, idSha256, merchantId);
    if (updated) await audit(tx);
    return updated;
  });
}
