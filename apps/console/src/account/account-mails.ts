import {
  claimAccountMail,
  deleteAccountMail,
  postponeAccountMail,
  storeAccountMail,
} from '@rewardhook/database';
import type { ClaimedAccountMail, Database, NewAccountMail } from '@rewardhook/database';
import { mailDelaySeconds, MailFailure } from '@rewardhook/mail';
import type { Mailer } from '@rewardhook/mail';
import { repeat, TimeoutError, withTimeout } from '@rewardhook/process';
import type { Logger, Metrics } from '@rewardhook/process';
import { invalidField, refuse } from '../http/console-error.ts';
import { writeAccountMail } from './write-account-mail.ts';

/** The mails for sign-ups, invitations, contact addresses and password resets. */
export interface AccountMails {
  /**
   * Checks that the mail server takes an address that was entered. One that does not answer is not waited for: then the mail
   * tells.
   * @throws ConsoleError `invalid_request` for the field
   */
  requireMailable(field: string, address: string): Promise<void>;
  /** Stores a mail and sends it after the response, so that the time of the response reveals nothing. */
  send(mail: NewAccountMail): Promise<void>;
  /** Sends mails that were stored by a transaction elsewhere. */
  sendStored(): void;
}

const sweepIntervalMs = 5_000;
/** Longer than a mail can take (`longestMailMs`). */
const leaseSeconds = 60;
/** Links are valid for a day, so a mail that could not be sent within a day is discarded. */
const maxAgeSeconds = 86_400;
/** Milliseconds that a request waits for the mail server. */
const askMs = 5_000;
/** Milliseconds that a mail in progress may take when the process stops. */
const shutdownGraceMs = 1_500;

/**
 * Opens the mails. Each mail is a row until the mail server has accepted it: a killed process loses none, and only one
 * process sends it. A failed mail is retried after 1, 2, 4 … 60 minutes, for a day.
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
  const abortSending = new AbortController();
  let sweeping: Promise<void> | undefined;
  let again = false;

  /** Sends the mails that are due. A call during a run makes it check again. */
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
      // In the same tick as the last check of `again`, so that no call is lost.
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
      await mailer.send({ to, id, content }, abortSending.signal);
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      if (abortSending.signal.aborted) return postponeAccountMail(database, mail, 0);
      const about = { mail: id, kind, attempt: attempts, reason: error.message };
      if (!error.permanent && mail.age < maxAgeSeconds) {
        log.warn('sending a mail failed; it will be retried', about);
        mails.inc({ kind, outcome: 'postponed' });
        return postponeAccountMail(database, mail, mailDelaySeconds(attempts));
      }
      log.error('sending a mail failed; it is discarded', about);
      mails.inc({ kind, outcome: 'given_up' });
      return deleteAccountMail(database, mail);
    }
    mails.inc({ kind, outcome: 'sent' });
    await deleteAccountMail(database, mail);
  }

  const sweeper = repeat('mail about accounts', sweepIntervalMs, log, sweep);
  const sendStored = () =>
    void sweep().catch((error: unknown) =>
      log.warn('sending stored mails failed; the sweeper retries', { error }),
    );
  return {
    async requireMailable(field, address) {
      const isTaken = await withTimeout(mailer.accepts(address), askMs, 'no answer').catch(
        (error: unknown) => {
          if (!(error instanceof MailFailure || error instanceof TimeoutError)) throw error;
          log.warn('the mail server did not say whether it takes an address', { reason: error.message });
          return true;
        },
      );
      if (!isTaken) throw invalidField(field, 'email_not_mailable');
    },
    async send(mail) {
      await storeAccountMail(database, mail);
      sendStored();
    },
    sendStored,
    async stop() {
      ending.abort();
      const grace = setTimeout(() => abortSending.abort(), shutdownGraceMs);
      await sweeper.stop();
      await sweeping?.catch(() => undefined);
      clearTimeout(grace);
    },
  };
}

/** Requires that mail is configured. @throws ConsoleError `mail_not_configured` */
export function requireMails({ mails }: { mails: AccountMails | undefined }): AccountMails {
  if (!mails) throw refuse('mail_not_configured');
  return mails;
}
