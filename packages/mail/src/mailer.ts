import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { abortAfter } from '@rewardhook/process';
import { MailFailure, mailFailure } from './mail-failure.ts';
import { readSmtpUrl } from './mail-settings.ts';
import type { MailSettings } from './mail-settings.ts';

/**
 * A mail is accepted by the mail server or has failed within this time, in milliseconds, however slow the server is.
 */
export const longestMailMs = 30_000;

/** The content of a mail. The subject is one line of text. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** A mail to one address. The id stays the same over all tries, so that a duplicate can be recognised. */
export interface Mail {
  to: string;
  id: string;
  content: MailText;
}

/** Sends mail. */
export interface Mailer {
  /**
   * Whether the mail server accepts addresses such as this one: one with letters outside of ASCII before the @ only if it offers
   * SMTPUTF8 (RFC 6531).
   * @throws MailFailure when the server cannot be asked
   */
  accepts(address: string): Promise<boolean>;
  /** @throws MailFailure when the mail was not accepted in time, or the signal aborted */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
}

/** Whether an address has letters outside of ASCII before the @. Those of its domain are encoded (IDNA), which every server takes. */
const needsSmtpUtf8 = (address: string): boolean =>
  /[^\p{ASCII}]/u.test(address.slice(0, address.lastIndexOf('@')));

/** Options of {@link openMailer}. */
export interface MailerOptions {
  /** smtp:// or smtps://, with user and password where the server requires them. */
  url: string;
  /** `address` or `Name <address>` */
  from: string;
  /** Certificate authorities (PEM) to trust instead of the usual ones. */
  ca?: string[];
  /** Default {@link longestMailMs}. */
  deadlineMs?: number;
}

/** Opens the configured mailer; undefined where no mail is configured. */
export function openConfiguredMailer(settings: MailSettings): Mailer | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_FOLDER: folder } = settings;
  if (url && from) return openMailer({ url, from });
  return folder ? openFolderMailer({ folder, from: from ?? 'Rewardhook <rewardhook@localhost>' }) : undefined;
}

/**
 * Sends mail by SMTP, with one connection for each mail. A password is sent only over TLS with a verified certificate.
 * Without a password, TLS is used where the server offers it, with any certificate (opportunistic TLS, RFC 7435): to
 * refuse one would exclude relays on the same machine, and would not stop an attacker, who can also hide the offer.
 */
export function openMailer({ url, from, ca, deadlineMs = longestMailMs }: MailerOptions): Mailer {
  const server = readSmtpUrl(url);
  const { host, port, secure, login } = server;
  const options = {
    host,
    port,
    secure,
    requireTLS: !secure && login !== undefined,
    tls: { rejectUnauthorized: secure || login !== undefined, ca },
    auth: login,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 15_000,
    dnsTimeout: 5_000,
    socketCloseTimeout: 1_000,
    maxResponseSize: 64 * 1_024,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  const accepts = async (address: string) => {
    if (!needsSmtpUtf8(address)) return true;
    try {
      return await offersSmtpUtf8(options);
    } catch (error) {
      throw mailFailure(error, server, address);
    }
  };
  return {
    accepts,
    async send({ to, id, content }, signal) {
      // nodemailer would send the bytes of the address anyway, and the server might mail somebody else.
      if (!(await accepts(to)))
        throw new MailFailure(
          'the mail server takes no addresses with letters outside of ASCII before the @ (it does not offer SMTPUTF8)',
          true,
        );
      try {
        // Loaded on demand: it takes 12 MB, which a worker without a mail to send does not need.
        const { createTransport } = await import('nodemailer');
        await createTransport(options).sendMail({
          from,
          // Passed as an object, the text is one address even if it contains a comma.
          to: { name: '', address: to },
          ...content,
          messageId: `<${id}@${domain}>`,
          // RFC 3834: asks automatic responders not to reply.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: abortAfter(signal, deadlineMs),
        });
      } catch (error) {
        throw mailFailure(error, server, to);
      }
    },
  };
}

/** Asks a mail server whether it offers SMTPUTF8, after TLS and login: nodemailer tells what it offers only in its log. */
async function offersSmtpUtf8(options: SMTPTransport.Options): Promise<boolean> {
  let offered = '';
  const note = ({ tnx }: { tnx?: string }, text = '') => {
    if (tnx === 'server') offered += `${text}\n`;
    // What a server offers before TLS does not count after it.
    if (tnx === 'client' && /^EHLO/i.test(text)) offered = '';
  };
  const ignore = () => undefined;
  const logger = {
    level: ignore,
    trace: ignore,
    debug: note,
    info: ignore,
    warn: ignore,
    error: ignore,
    fatal: ignore,
  };
  const { createTransport } = await import('nodemailer');
  await createTransport({ ...options, debug: true, logger }).verify();
  return /^250[- ]SMTPUTF8\b/im.test(offered);
}

/**
 * For development: writes each mail to a text file, `<time>-<id>.txt`, which only its owner may read, since mails contain
 * links that sign their reader in. The file appears when it is complete.
 */
function openFolderMailer({ folder, from }: { folder: string; from: string }): Mailer {
  return {
    accepts: async () => true,
    async send({ to, id, content }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${id}.txt`);
      const text = `From: ${from}\nTo: ${to}\nSubject: ${content.subject}\n\n${content.text}`;
      await writeFile(`${path}.unfinished`, text, { mode: 0o600 });
      await rename(`${path}.unfinished`, path);
    },
  };
}
