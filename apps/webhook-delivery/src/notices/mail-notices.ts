import { claimDigest, completeDigest, postponeDigest } from '@rewardhook/database';
import type { ClaimedDigest, Database, DigestNotice } from '@rewardhook/database';
import { mailDelaySeconds, MailFailure } from '@rewardhook/mail';
import type { Mailer } from '@rewardhook/mail';
import type { Logger } from '@rewardhook/process';
import { writeDigest } from './write-digest.ts';

/** How long a claimed digest is left to its worker: longer than its mails can take (twice `longestMailMs`). */
const leaseSeconds = 120;
/** A notice that could not be mailed for so long is given up. */
const givenUpAfterMs = 86_400_000;

/** The outcome of mailing a digest. */
export type MailOutcome = 'sent' | 'postponed' | 'given_up' | 'unwanted';

/**
 * One sweep: mails the digests that are due, one after the other, each to the merchant's confirmed contact address
 * and then to the operator. A merchant gets at most one digest per period, however many notices there are. No two
 * workers mail a merchant at the same time, and what was recorded as sent is never sent again; a worker that is killed
 * between sending and recording makes it come twice, with the same Message-ID.
 */
export function mailNotices(options: {
  database: Database;
  mailer: Mailer;
  operatorEmail: string | undefined;
  consoleUrl: string | undefined;
  /** Least number of seconds between two digests of a merchant. */
  periodSeconds: number;
  /** No further digest is claimed. */
  ending: AbortSignal;
  /** The mail under way is cut off. */
  cutOff: AbortSignal;
  log: Logger;
  observe(outcome: MailOutcome): void;
}): () => Promise<void> {
  const { database, mailer, operatorEmail, consoleUrl, periodSeconds, ending, cutOff, log, observe } =
    options;

  return async () => {
    while (!ending.aborted) {
      const digest = await claimDigest(database, leaseSeconds);
      if (!digest) return;
      await mailOne(digest);
    }
  };

  async function mailOne(digest: ClaimedDigest): Promise<void> {
    const { merchantId, contactEmail, notices } = digest;
    const [first] = notices;
    const to = contactEmail ?? operatorEmail;
    if (first === undefined || to === undefined) {
      await completeDigest(database, merchantId, notices, 0);
      return observe('unwanted');
    }
    const attempt = Math.max(...notices.map((notice) => notice.attempt));
    const about = { merchantId, notices: notices.length, firstNotice: first.id, attempt };
    const content = writeDigest(digest, consoleUrl);
    const send = (recipient: string, role: string) =>
      mailer.send({ to: recipient, id: `${first.id}.${role}`, content }, cutOff);
    try {
      await send(to, contactEmail === null ? 'operator' : 'merchant');
      observe('sent');
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      if (cutOff.aborted) return postponeDigest(database, merchantId, notices, 0);
      const reason = error.message;
      const isOld = ({ createdAt }: DigestNotice) => Date.now() - Number(createdAt) >= givenUpAfterMs;
      const kept = error.permanent ? [] : notices.filter((notice) => !isOld(notice));
      if (kept.length > 0) {
        const old = notices.filter(isOld);
        await completeDigest(database, merchantId, old, 0);
        log.warn('a digest of notices could not be mailed and will be tried again', { ...about, reason });
        observe('postponed');
        return postponeDigest(database, merchantId, kept, mailDelaySeconds(attempt));
      }
      log.error('a digest of notices is not mailed: given up', { ...about, reason });
      observe('given_up');
    }
    if (operatorEmail !== undefined && to !== operatorEmail) {
      // Tried once: a second try of the whole would send the merchant's a second time.
      await send(operatorEmail, 'operator').catch((error: Error) =>
        log.warn("the operator's copy of a digest could not be mailed", { ...about, reason: error.message }),
      );
    }
    await completeDigest(database, merchantId, notices, periodSeconds);
  }
}
