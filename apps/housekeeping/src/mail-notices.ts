import {
  claimDigest,
  completeAllNotices,
  completeDigest,
  postponeDigest,
} from '@rewardhook/database/operations';
import type { ClaimedDigest, DigestNotice } from '@rewardhook/database/operations';
import type { Sql } from '@rewardhook/database/stages';
import { mailDelaySeconds, MailFailure, openConfiguredMailer } from '@rewardhook/mail';
import type { Mailer } from '@rewardhook/mail';
import type { TaskPlan } from '@rewardhook/pipeline';
import type { Logger, ProcessContext } from '@rewardhook/process';
import type { NoticeSettings } from './environment.ts';
import { writeDigest } from './write-digest.ts';

/** The lease of a claimed digest: longer than its two mails can take (`longestMailMs` each). */
const leaseSeconds = 120;
/** Minimum number of seconds between two digests of a merchant. */
const digestSeconds = 3_600;
/** A notice that could not be mailed for this long is dropped. */
const giveUpAfterSeconds = 86_400;
/** How long a mail in progress may take when the process ends, in milliseconds. */
const shutdownGraceMs = 1_500;

/** The outcome of mailing a digest. */
export type MailOutcome = 'sent' | 'postponed' | 'given_up' | 'unwanted';

/** Returns the task that mails notices. Where no mail is configured, it marks them as mailed. */
export function openNoticeMail(
  settings: NoticeSettings,
  database: Sql,
  { log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>,
): TaskPlan['run'] {
  const mailer = openConfiguredMailer(settings);
  if (!mailer) return () => completeAllNotices(database);
  const mails = metrics.counter('notice_mails_total', 'Digests of notices by outcome', ['outcome']);
  return async (stop) => {
    const cancelling = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    const cancelLater = () => (grace = setTimeout(() => cancelling.abort(), shutdownGraceMs));
    stop.addEventListener('abort', cancelLater);
    const mail = mailNotices({
      database,
      mailer,
      periodSeconds: digestSeconds,
      operatorEmail: settings.NOTICE_OPERATOR_EMAIL,
      consoleUrl: settings.CONSOLE_PUBLIC_URL,
      stop,
      cancel: cancelling.signal,
      log,
      observe: (outcome) => mails.inc({ outcome }),
    });
    try {
      await mail();
    } finally {
      stop.removeEventListener('abort', cancelLater);
      clearTimeout(grace);
    }
  };
}

/**
 * Returns one sweep: it mails the digests that are due, one after the other, each to the merchant's confirmed contact
 * address and then to the operator. A merchant gets at most one digest per period, however many notices there are. No two
 * workers mail a merchant at the same time, and a digest that was recorded as sent is not sent again. When a worker is
 * killed between sending and recording, the digest is sent twice, with the same Message-ID.
 */
export function mailNotices(options: {
  database: Sql;
  mailer: Mailer;
  operatorEmail: string | undefined;
  consoleUrl: string | undefined;
  /** Minimum number of seconds between two digests of a merchant. */
  periodSeconds: number;
  /** After it has aborted, no further digest is claimed. */
  stop: AbortSignal;
  /** Aborts the mail in progress. */
  cancel: AbortSignal;
  log: Logger;
  observe(outcome: MailOutcome): void;
}): () => Promise<void> {
  const { database, mailer, operatorEmail, consoleUrl, periodSeconds, stop, cancel, log, observe } = options;

  return async () => {
    while (!stop.aborted) {
      const digest = await claimDigest(database, leaseSeconds);
      if (!digest) return;
      await mailDigest(digest);
    }
  };

  async function mailDigest(digest: ClaimedDigest): Promise<void> {
    const { merchantId, contactEmail, notices } = digest;
    const [first] = notices;
    const to = contactEmail ?? operatorEmail;
    if (first === undefined || to === undefined) {
      await completeDigest(database, merchantId, notices, 0);
      return observe('unwanted');
    }

    const attempt = Math.max(...notices.map((notice) => notice.attempt));
    const details = { merchantId, notices: notices.length, firstNotice: first.id, attempt };
    const content = writeDigest(digest, consoleUrl);
    const send = (recipient: string, role: string) =>
      mailer.send({ to: recipient, id: `${first.id}.${role}`, content }, cancel);

    try {
      await send(to, contactEmail === null ? 'operator' : 'merchant');
      observe('sent');
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      if (cancel.aborted) return postponeDigest(database, merchantId, notices, 0);
      const reason = error.message;
      const kept = error.permanent ? [] : notices.filter((notice) => !isExpired(notice));
      if (kept.length > 0) {
        await completeDigest(database, merchantId, notices.filter(isExpired), 0);
        log.warn('a digest of notices could not be mailed and will be retried', { ...details, reason });
        observe('postponed');
        return postponeDigest(database, merchantId, kept, mailDelaySeconds(attempt));
      }
      log.error('a digest of notices could not be mailed and is dropped', { ...details, reason });
      observe('given_up');
    }

    if (operatorEmail !== undefined && to !== operatorEmail) {
      // Tried once: a retry of the digest would send the merchant's mail a second time.
      await send(operatorEmail, 'operator').catch((error: Error) =>
        log.warn("the operator's copy of a digest could not be mailed", {
          ...details,
          reason: error.message,
        }),
      );
    }
    await completeDigest(database, merchantId, notices, periodSeconds);
  }
}

function isExpired({ age }: DigestNotice): boolean {
  return age >= giveUpAfterSeconds;
}
