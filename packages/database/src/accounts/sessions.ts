import { accountLimits } from '../merchants/account-limits.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';

/** A login. */
export interface Session {
  userId: string;
  email: string;
  merchantId: string;
  /** 'owner', 'developer' or 'viewer': now, not when the session began. */
  role: string;
}

export interface NewSession {
  /** SHA-256 of its id; the id itself is kept by the browser alone. */
  idSha256: Uint8Array;
  userId: string;
  /** Of the password that let him in. */
  passwordHash: string;
  merchantId: string;
  userAgent: string;
}

/** How long a session lasts: without a request, and at most. */
export interface SessionTimes {
  idleSeconds: number;
  longestSeconds: number;
}

/**
 * Begins a session; false when the password has changed since it was looked at: that ends all sessions. The user is
 * locked, so that a change comes before or after. Sessions that have expired are removed on the way, and of the user's
 * own those that have been unused longest, where there are more than `accountLimits.sessionsPerUser`.
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
    return inserted === 1;
  });
}

/**
 * The session with this id, unless it has ended; being asked for extends it, which is written once a minute. A user who
 * does not belong to its merchant any more looks at another of his; one that he has chosen meanwhile stays.
 */
export async function findSession(
  database: Database,
  idSha256: Uint8Array,
  { idleSeconds, longestSeconds }: SessionTimes,
): Promise<Session | undefined> {
  const [session] = await database.query<Session & { current: string; stale: boolean }>(
    `SELECT s.user_id AS "userId", u.email, m.merchant_id AS "merchantId", m.role, s.merchant_id AS "current",
      s.last_seen_at < now() - interval '1 minute' AS stale
    FROM sessions s
    JOIN users u ON u.id = s.user_id
    JOIN LATERAL (SELECT * FROM memberships m WHERE m.user_id = s.user_id
      ORDER BY m.merchant_id = s.merchant_id DESC, m.created_at, m.merchant_id LIMIT 1) m ON true
    WHERE s.id_sha256 = $1 AND s.expires_at > now()`,
    [idSha256],
  );
  if (!session) return undefined;
  const { current, stale, ...found } = session;
  if (stale || current !== found.merchantId)
    await database.execute(
      `UPDATE sessions SET last_seen_at = now(),
        merchant_id = CASE merchant_id WHEN $1 THEN $2 ELSE merchant_id END,
        expires_at = least(now() + make_interval(secs => $3::int),
          created_at + make_interval(secs => $4::int))
      WHERE id_sha256 = $5`,
      [current, found.merchantId, idleSeconds, longestSeconds, idSha256],
    );
  return found;
}

/** Ends a session, if there is one. */
export async function deleteSession(database: Database, idSha256: Uint8Array): Promise<void> {
  await database.execute('DELETE FROM sessions WHERE id_sha256 = $1', [idSha256]);
}

/** Lets a session look at another merchant of its user. False when he does not belong to it. */
export async function updateSessionMerchant(
  database: Queryable,
  idSha256: Uint8Array,
  merchantId: string,
): Promise<boolean> {
  const count = await database.execute(
    `UPDATE sessions s SET merchant_id = $1 FROM memberships m
    WHERE s.id_sha256 = $2 AND m.user_id = s.user_id AND m.merchant_id = $1`,
    [merchantId, idSha256],
  );
  return count === 1;
}
