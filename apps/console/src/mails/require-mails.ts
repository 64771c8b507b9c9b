import type { ConsoleDependencies } from '../dependencies.ts';
import { refuse } from '../http/console-error.ts';
import type { AccountMails } from './account-mails.ts';

/** The mails of this console. @throws ConsoleError `mail_not_configured` where it can send none */
export function requireMails({ mails }: ConsoleDependencies): AccountMails {
  if (!mails) throw refuse('mail_not_configured');
  return mails;
}
