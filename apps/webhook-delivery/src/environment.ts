import Joi from 'joi';
import { readSettings, secretsKeySetting, workerSettings } from '@rewardhook/process';
import type { WorkerSettings } from '@rewardhook/process';
import { readSmtpUrl } from './notices/smtp-place.ts';

/** Settings of the mail about failing endpoints. Without SMTP_URL no mail is sent. */
export interface NoticeSettings {
  /** smtp:// or smtps://, with user and password. A secret. */
  SMTP_URL?: string;
  /** `address` or `Name <address>`; required with SMTP_URL. */
  MAIL_FROM?: string;
  /** Gets a copy of every notice; the notices themselves where a merchant has no address. */
  NOTICE_OPERATOR_EMAIL?: string;
  /** Where the console is, for links to it. */
  CONSOLE_PUBLIC_URL?: string;
}

export interface DeliverySettings extends WorkerSettings, NoticeSettings {
  SECRETS_KEY: string;
  /** Most requests in flight to one endpoint; it begins with 4 and grows as the endpoint answers well. */
  ENDPOINT_CONCURRENCY: number;
  /** For development: webhooks may go to http URLs on this machine. */
  WEBHOOK_ALLOW_LOOPBACK: boolean;
}

const noticeSettings = {
  SMTP_URL: Joi.string()
    .custom((url: string) => (readSmtpUrl(url), url))
    .messages({ 'any.custom': '"SMTP_URL" {{#error.message}}' }),
  MAIL_FROM: Joi.string()
    .pattern(/^([^<>@,;\r\n]*<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/)
    .when('SMTP_URL', { is: Joi.exist(), then: Joi.required() })
    .messages({ 'string.pattern.base': '"MAIL_FROM" must be an address or "Name <address>"' }),
  NOTICE_OPERATOR_EMAIL: Joi.string().email({ tlds: false }),
  CONSOLE_PUBLIC_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
};

/** The settings of the webhook-delivery worker; CONCURRENCY is the number of endpoints served at a time. @throws SettingsError */
export function readDeliverySettings(environment = process.env): DeliverySettings {
  return readSettings<DeliverySettings>(
    {
      ...workerSettings(2_000),
      ...secretsKeySetting,
      ENDPOINT_CONCURRENCY: Joi.number().integer().min(1).max(1_000).default(32),
      WEBHOOK_ALLOW_LOOPBACK: Joi.boolean().default(false),
      ...noticeSettings,
    },
    environment,
  );
}
