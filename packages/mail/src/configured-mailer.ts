import type { MailSettings } from './mail-settings.ts';
import { openFolderMailer } from './folder-mailer.ts';
import { openMailer } from './open-mailer.ts';
import type { Mailer } from './open-mailer.ts';

/** The mailer that the settings ask for; undefined where no mail is configured. */
export function openConfiguredMailer(settings: MailSettings): Mailer | undefined {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_FOLDER: folder } = settings;
  if (url && from) return openMailer({ url, from });
  return folder ? openFolderMailer({ folder, from: from ?? 'Rewardhook <rewardhook@localhost>' }) : undefined;
}
