import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mailFailure } from './mail-failure.ts';
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
  /** @throws MailFailure when the mail was not accepted in time, or the signal aborted */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
}

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
  return {
    async send({ to, id, content }, signal) {
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
          signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
        });
      } catch (error) {
        throw mailFailure(error, server, to);
      }
    },
  };
}

/**
 * For development: writes each mail to a text file, `<time>-<id>.txt`, which only its owner may read, since mails contain
 * links that sign their reader in. The file appears when it is complete.
 */
function openFolderMailer({ folder, from }: { folder: string; from: string }): Mailer {
  return {
    async send({ to, id, content }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${id}.txt`);
      const text = `From: ${from}\nTo: ${to}\nSubject: ${content.subject}\n\n${content.text}`;
      await writeFile(`${path}.unfinished`, text, { mode: 0o600 });
      await rename(`${path}.unfinished`, path);
    },
  };
}
