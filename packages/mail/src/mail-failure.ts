import { oneLine } from './one-line.ts';
import type { SmtpPlace } from './smtp-place.ts';

/** A mail that was not handed in. The message is one line without secrets and without the recipient. */
export class MailFailure extends Error {
  /** The server refuses this recipient for good; all else is worth another try. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean) {
    super(message);
    this.permanent = permanent;
  }
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** Makes of whatever nodemailer throws what may be logged. A server's answer can repeat what it was sent. */
export function mailFailure(cause: unknown, { login }: SmtpPlace, recipient: string): MailFailure {
  const { code, command, responseCode, message } = cause as SmtpError;
  // A wrong login or sender is ours to fix, and may be fixed within the day.
  const permanent =
    code === 'EENVELOPE' && (command === 'API' || (command === 'RCPT TO' && Number(responseCode) >= 500));
  const hidden = [recipient, ...(login ? formsOf(login) : [])].filter((text) => text !== '');
  const shown = hidden.reduce((text, secret) => text.replaceAll(secret, '…'), message);
  return new MailFailure(oneLine(`${code ?? 'failed'}: ${shown}`, 300), permanent);
}

/** A login as it can come back: in clear, percent-encoded, and as PLAIN and LOGIN send it. */
function formsOf({ user, pass }: NonNullable<SmtpPlace['login']>): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [base64(`\0${user}\0${pass}`), base64(pass), encodeURIComponent(pass), pass];
}
