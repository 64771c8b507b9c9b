import { claimNotice, endNotice, postponeNotice, releaseNotice } from '@rewardhook/database';
import type { ClaimedNotice, Database } from '@rewardhook/database';
import type { Logger } from '@rewardhook/process';
import { MailFailure } from './mail-failure.ts';
import type { Mailer } from './open-mailer.ts';
import { writeMail } from './write-mail.ts';

/** How long a taken notice is left to its worker: longer than its mails can take (twice `longestMailMs`). */
const leaseSeconds = 120;
const firstDelaySeconds = 60;
const longestDelaySeconds = 3_600;
/** A notice that could not be mailed for so long is given up. */
const givenUpAfterMs = 86_400_000;

/** What came of mailing a notice. */
export type MailOutcome = 'sent' | 'postponed' | 'given_up' | 'unwanted';

/**
 * One sweep: mails the notices that are due, one after the other, to the merchant and then to the operator. No two
 * workers mail one at the same time, and what was recorded as sent is never sent again; a worker that is killed
 * between sending and recording makes it come twice, with the same Message-ID.
 */
export function mailNotices(options: {
  database: Database;
  mailer: Mailer;
  operatorEmail: string | undefined;
  consoleUrl: string | undefined;
  /** No further notice is taken. */
  ending: AbortSignal;
  /** The mail under way is cut off. */
  cutOff: AbortSignal;
  log: Logger;
  observe(outcome: MailOutcome): void;
}): () => Promise<void> {
  const { database, mailer, operatorEmail, consoleUrl, ending, cutOff, log, observe } = options;

  return async () => {
    while (!ending.aborted) {
      const notice = await claimNotice(database, leaseSeconds);
      if (!notice) return;
      await mailOne(notice);
    }
  };

  async function mailOne(notice: ClaimedNotice): Promise<void> {
    const { merchantId, id, contactEmail } = notice;
    const about = { merchantId, notice: id, attempt: notice.attempt };
    const content = writeMail(notice, consoleUrl);
    const send = (to: string, role: string) => mailer.send({ to, id: `${id}.${role}`, content }, cutOff);

    const to = contactEmail ?? operatorEmail;
    if (to === undefined) {
      await endNotice(database, notice);
      return observe('unwanted');
    }
    try {
      await send(to, contactEmail === null ? 'operator' : 'merchant');
      observe('sent');
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      if (cutOff.aborted) return releaseNotice(database, notice);
      const reason = error.message;
      if (!error.permanent && Date.now() - Number(notice.createdAt) < givenUpAfterMs) {
        log.warn('a notice could not be mailed and will be tried again', { ...about, reason });
        observe('postponed');
        return postponeNotice(database, notice, mailDelaySeconds(notice.attempt));
      }
      log.error('a notice is not mailed: given up', { ...about, reason });
      observe('given_up');
    }
    if (operatorEmail !== undefined && to !== operatorEmail) {
      // Tried once: a second try of the whole would send the merchant's a second time.
      await send(operatorEmail, 'operator').catch((error: Error) =>
        log.warn("the operator's copy of a notice could not be mailed", { ...about, reason: error.message }),
      );
    }
    await endNotice(database, notice);
  }
}

/** Until the next try after so many, in seconds: 1, 2, 4 … minutes, an hour at most. */
export function mailDelaySeconds(attempt: number): number {
  return Math.min(firstDelaySeconds * 2 ** (attempt - 1), longestDelaySeconds);
}
