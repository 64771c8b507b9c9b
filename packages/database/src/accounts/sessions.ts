import { accountLimits } from '../merchants/account-limits.ts';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import type { TeamRole } from '../states.ts';

/** A session of a signed-in user. */
export interface Session {
  userId: string;
  email: string;
  merchantId: string;
  /** The current role, not that of the sign-in. */
  role: TeamRole;
}

export interface NewSession {
  /** SHA-256 of its id; only the browser has the id itself. */
  idSha256: Uint8Array;
  userId: string;
  /** The hash of the password that the user signed in with. */
  passwordHash: string;
  merchantId: string;
  userAgent: string;
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
  { idSha256, userId, passwordHash, merchantId, userAgent }: NewSession,
  { idleSeconds }: SessionTimes,
): Promise<boolean> {
  await database.execute('DELETE FROM sessions WHERE expires_at <= now()');
  return transact(database, async (tx) => {
    const inserted = await tx.execute(
      `INSERT INTO sessions (id_sha256, user_id, merchant_id, user_agent, expires_at)
       SELECT $1, id, $4, $5, now() + make_interval(secs => $6::int)
       FROM users WHERE id = $2 AND password_hash = $3 FOR NO KEY UPDATE`,
      [idSha256, userId, passwordHash, merchantId, userAgent, idleSeconds],
    );
    await tx.execute(
      `DELETE FROM sessions WHERE id_sha256 IN (
         SELECT id_sha256 FROM sessions WHERE user_id = $1 AND id_sha256 <> $2
         ORDER BY last_seen_at DESC, created_at DESC OFFSET $3)`,
      [userId, idSha256, accountLimits.sessionsPerUser - 1],
    );
    if (inserted === 1) await audit(tx);
    return inserted === 1;
  });
}

/**
 * The session with this id, or undefined when it has ended. Reading a session extends it; that is written once a minute.
 * When the user does not belong to its merchant any more, it continues with another of their merchants, unless they have
 * selected one meanwhile.
 */
export async function findSession(
  database: Database,
  idSha256: Uint8Array,
  { idleSeconds, maxSeconds }: SessionTimes,
): Promise<Session | undefined> {
  const [session] = await database.query<Session & { current: string; stale: boolean }>(
    `SELECT s.user_id AS "userId", u.email, m.merchant_id AS "merchantId", m.role, s.merchant_id AS "current",
       s.last_seen_at < now() - interval '1 minute' AS stale
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
  const { current, stale, ...found } = session;
  if (stale || current !== found.merchantId)
    await database.execute(
      `UPDATE sessions
       SET last_seen_at = now(),
         merchant_id = CASE merchant_id WHEN $2 THEN $3 ELSE merchant_id END,
         expires_at = least(
           now() + make_interval(secs => $4::int), created_at + make_interval(secs => $5::int)
         )
       WHERE id_sha256 = $1`,
      [idSha256, current, found.merchantId, idleSeconds, maxSeconds],
    );
  return found;
}

/** Deletes a session, if it exists. */
export async function deleteSession(database: Queryable, idSha256: Uint8Array): Promise<void> {
  await database.execute('DELETE FROM sessions WHERE id_sha256 = $1', [idSha256]);
}

/** Ends a session at the request of its user. False when it has ended already. */
export function endSession(database: Database, idSha256: Uint8Array): Promise<boolean> {
  return transact(database, async (tx) => {
    const ended = await tx.execute('DELETE FROM sessions WHERE id_sha256 = $1', [idSha256]);
    if (ended === 1) await audit(tx);
    return ended === 1;
  });
}

/** Switches a session to another merchant of its user. False when the user does not belong to it. */
export async function updateSessionMerchant(
  database: Queryable,
  idSha256: Uint8Array,
  merchantId: string,
): Promise<boolean> {
  const updated = await database.execute(
    `UPDATE sessions s SET merchant_id = $1
     FROM memberships m
     WHERE s.id_sha256 = $2 AND m.user_id = s.user_id AND m.merchant_id = $1`,
    [merchantId, idSha256],
  );
  return updated === 1;
}

/** The same in a transaction of its own. */
export function selectSessionMerchant(
  database: Database,
  idSha256: Uint8Array,
  merchantId: string,
): Promise<boolean> {
  return transact(database, async (tx) => {
    const updated = await updateSessionMerchant(tx, idSha256, merchantId);
    if (updated) await audit(tx);
    return updated;
  });
}
