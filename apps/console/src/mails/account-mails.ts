import {
  claimAccountMail,
  deleteAccountMail,
  postponeAccountMail,
  insertAccountMail,
} from '@rewardhook/database';
import type { ClaimedAccountMail, Database, NewAccountMail } from '@rewardhook/database';
import { mailDelaySeconds, MailFailure } from '@rewardhook/mail';
import type { Mailer } from '@rewardhook/mail';
import { repeat } from '@rewardhook/process';
import type { Logger, Metrics } from '@rewardhook/process';
import { writeAccountMail } from './write-account-mail.ts';

/** The mails of sign-ups, invitations, contact addresses and forgotten passwords. */
export interface AccountMails {
  /** Stores a mail to be sent; it goes out after the answer, so that the time of the answer tells nothing. */
  send(mail: NewAccountMail): Promise<void>;
  /** Sends what was stored elsewhere, within a transaction. */
  sendStored(): void;
}

const pauseMs = 5_000;
/** Longer than a mail can take (`longestMailMs`). */
const leaseSeconds = 60;
/** A link is good for a day: a mail that could not be sent within a day is given up. */
const givenUpAfterMs = 86_400_000;
/** How long a mail under way may take when the process ends, in milliseconds. */
const patienceMs = 1_500;

/**
 * Opens the mails. Each is a row until it is handed in: a killed process loses none, and of several processes one sends
 * it. What cannot be handed in is tried again after 1, 2, 4 … 60 minutes, for a day.
 */
export function openAccountMails(options: {
  database: Database;
  mailer: Mailer;
  publicUrl: string;
  metrics: Metrics;
  log: Logger;
}): AccountMails & { stop(): Promise<void> } {
  const { database, mailer, publicUrl, metrics, log } = options;
  const mails = metrics.counter('account_mails_total', 'Mails about accounts by kind and outcome', [
    'kind',
    'outcome',
  ]);
  const ending = new AbortController();
  const cutOff = new AbortController();
  let sweeping: Promise<void> | undefined;
  let again = false;

  /** Sends what is due; a call while it runs makes it look once more. */
  const sweep = (): Promise<void> => {
    again = true;
    sweeping ??= sendDue();
    return sweeping;
  };
  async function sendDue(): Promise<void> {
    try {
      while (again && !ending.signal.aborted) {
        again = false;
        for (let mail = await claim(); mail; mail = await claim()) await sendOne(mail);
      }
    } finally {
      // In the same turn as the last look at `again`: no call falls between.
      sweeping = undefined;
    }
  }
  const claim = async () => (ending.signal.aborted ? undefined : claimAccountMail(database, leaseSeconds));

  async function sendOne(mail: ClaimedAccountMail): Promise<void> {
    const { id, kind, attempts, recipient: to } = mail;
    const content = await writeAccountMail(database, mail, publicUrl);
    if (!content) {
      mails.inc({ kind, outcome: 'unwanted' });
      return deleteAccountMail(database, mail);
    }
    try {
      await mailer.send({ to, id, content }, cutOff.signal);
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      if (cutOff.signal.aborted) return postponeAccountMail(database, mail, 0);
      const about = { mail: id, kind, attempt: attempts, reason: error.message };
      if (!error.permanent && Date.now() - Number(mail.createdAt) < givenUpAfterMs) {
        log.warn('a mail could not be sent and will be tried again', about);
        mails.inc({ kind, outcome: 'postponed' });
        return postponeAccountMail(database, mail, mailDelaySeconds(attempts));
      }
      log.error('a mail is not sent: given up', about);
      mails.inc({ kind, outcome: 'given_up' });
      return deleteAccountMail(database, mail);
    }
    mails.inc({ kind, outcome: 'sent' });
    await deleteAccountMail(database, mail);
  }

  const sweeper = repeat('mail about accounts', pauseMs, log, sweep);
  const sendStored = () =>
    void sweep().catch((error: unknown) =>
      log.warn('mails could not be sent now; the sweeper tries again', { error }),
    );
  return {
    async send(mail) {
      await insertAccountMail(database, mail);
      sendStored();
    },
    sendStored,
    async stop() {
      ending.abort();
      const patience = setTimeout(() => cutOff.abort(), patienceMs);
      await sweeper.stop();
      await sweeping?.catch(() => undefined);
      clearTimeout(patience);
    },
  };
}
