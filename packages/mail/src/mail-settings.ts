import Joi from 'joi';
import { readSmtpUrl } from './smtp-place.ts';

/** The settings of sending mail. Without SMTP_URL and MAIL_FOLDER no mail is sent. */
export interface MailSettings {
  /** smtp:// or smtps://, with user and password. A secret. */
  SMTP_URL?: string;
  /** `address` or `Name <address>`; required with SMTP_URL. */
  MAIL_FROM?: string;
  /** For development: mail is written to this folder instead of sent. Refused in production; SMTP_URL wins. */
  MAIL_FOLDER?: string;
}

/** Validates the settings of sending mail. */
export const mailSettings = {
  SMTP_URL: Joi.string()
    .custom((url: string) => (readSmtpUrl(url), url))
    .messages({ 'any.custom': '"SMTP_URL" {{#error.message}}' }),
  MAIL_FROM: Joi.string()
    .pattern(/^([^<>@,;\r\n]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/)
    .when('SMTP_URL', { is: Joi.exist(), then: Joi.required() })
    .messages({ 'string.pattern.base': '"MAIL_FROM" must be an address or "Name <address>"' }),
  MAIL_FOLDER: Joi.string()
    .when('NODE_ENV', { is: 'production', then: Joi.forbidden() })
    .messages({ 'any.unknown': '"MAIL_FOLDER" is for development: in production set SMTP_URL' }),
};
