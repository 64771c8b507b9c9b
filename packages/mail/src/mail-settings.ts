import Joi from 'joi';
import { secret } from '@rewardhook/process';

/** The settings for sending mail. Without SMTP_URL and MAIL_FOLDER no mail is sent. */
export interface MailSettings {
  /** smtp:// or smtps://, with user and password. A secret. */
  SMTP_URL?: string;
  /** `address` or `Name <address>`; required with SMTP_URL. */
  MAIL_FROM?: string;
  /** For development: mail is written to this folder instead of sent. Rejected in production; SMTP_URL takes precedence. */
  MAIL_FOLDER?: string;
}

/** The Joi rules of {@link MailSettings}. */
export const mailSettings = {
  SMTP_URL: secret(
    Joi.string()
      .custom((url: string) => (readSmtpUrl(url), url))
      .messages({ 'any.custom': '"SMTP_URL" {{#error.message}}' }),
  ),
  MAIL_FROM: Joi.string()
    .pattern(/^([^<>@,;\r\n]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/)
    .when('SMTP_URL', { is: Joi.exist(), then: Joi.required() })
    .messages({ 'string.pattern.base': '"MAIL_FROM" must be an address or "Name <address>"' }),
  MAIL_FOLDER: Joi.string()
    .when('NODE_ENV', { is: 'production', then: Joi.forbidden() })
    .messages({ 'any.unknown': '"MAIL_FOLDER" is for development: in production set SMTP_URL' }),
};

/** The parts of `SMTP_URL`. */
export interface SmtpServer {
  host: string;
  /** Undefined stands for 587 with smtp and 465 with smtps. */
  port: number | undefined;
  /** Whether the connection begins with TLS (smtps). */
  secure: boolean;
  login: { user: string; pass: string } | undefined;
}

/**
 * Parses `smtp://user:password@host:port` or `smtps://…`, with user and password percent-encoded.
 * @throws Error with the problem and without the URL. A path or options would be ignored, so they are rejected.
 */
export function readSmtpUrl(text: string): SmtpServer {
  if (!URL.canParse(text)) throw new Error('must be a URL');
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw new Error('must begin with smtp:// or smtps://');
  if (hostname === '') throw new Error('must name a host');
  if ((pathname !== '' && pathname !== '/') || search !== '')
    throw new Error('must have no path and no options');
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? undefined : Number(port),
    secure: protocol === 'smtps:',
    login: username === '' ? undefined : { user: decode(username), pass: decode(password) },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must have user and password percent-encoded');
  }
}
