import { mailFailure } from './mail-failure.ts';
import { readSmtpUrl } from './smtp-place.ts';

/** Within so long a mail is handed in or failed, in milliseconds, however slowly the server talks. */
export const longestMailMs = 30_000;

export interface MailerOptions {
  /** smtp:// or smtps://, with user and password where the server wants them. */
  url: string;
  /** `address` or `Name <address>` */
  from: string;
  /** Authorities to trust instead of the usual ones, PEM. */
  ca?: string[];
  /** Default {@link longestMailMs}. */
  deadlineMs?: number;
}

/** What a mail says. Subject: one line of text. */
export interface MailText {
  subject: string;
  text: string;
  html: string;
}

/** A mail to one address. The id stays the same over all tries, so that a mail that came twice is recognised. */
export interface Mail {
  to: string;
  id: string;
  content: MailText;
}

export interface Mailer {
  /** @throws MailFailure when it was not handed in, or not within the deadline, or the signal cut it off */
  send(mail: Mail, signal: AbortSignal): Promise<void>;
}

/**
 * Hands in mail by SMTP, one connection for each. A password goes over TLS with a checked certificate only, or not at
 * all. Without a password TLS is used where the server offers it, whoever it is (RFC 7435): refusing a certificate
 * there would keep out relays on the same machine and no attacker, who can hide the offer as well.
 */
export function openMailer({ url, from, ca, deadlineMs = longestMailMs }: MailerOptions): Mailer {
  const place = readSmtpUrl(url);
  const { host, port, secure, login } = place;
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
        // 12 MB that a worker without a mail to send does not need.
        const { createTransport } = await import('nodemailer');
        await createTransport(options).sendMail({
          from,
          // As an object it is one address, whatever is in it.
          to: { name: '', address: to },
          ...content,
          // The same for every try, so that one that came twice can be told.
          messageId: `<${id}@${domain}>`,
          // RFC 3834: no answers from those on holiday.
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]),
        });
      } catch (error) {
        throw mailFailure(error, place, to);
      }
    },
  };
}
