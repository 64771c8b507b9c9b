import type { ConsoleDependencies } from '../dependencies.ts';
import { ConsoleError } from '../http/console-error.ts';
import type { AccountMails } from './account-mails.ts';

/** The mails of this console. @throws ConsoleError `mail_not_configured` where it can send none */
export function requireMails({ mails }: ConsoleDependencies): AccountMails {
  if (!mails)
    throw new ConsoleError(
      'mail_not_configured',
      'This is not available until the operator configures mail (SMTP_URL). Until then the operator can make a link.',
    );
  return mails;
}
