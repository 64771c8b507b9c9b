import type { SmtpServer } from './mail-settings.ts';
import { oneLine } from './mail-text.ts';

const firstDelaySeconds = 60;
const longestDelaySeconds = 3_600;

/** A mail that the mail server did not accept. The message is one line without secrets and without the recipient. */
export class MailFailure extends Error {
  /** Whether the server rejects this recipient permanently. After every other failure a retry can succeed. */
  readonly permanent: boolean;

  constructor(message: string, permanent: boolean) {
    super(message);
    this.permanent = permanent;
  }
}

/** Seconds until the next try, by the number of tries made: 1, 2, 4 … minutes, at most an hour. */
export function mailDelaySeconds(attempt: number): number {
  return Math.min(firstDelaySeconds * 2 ** (attempt - 1), longestDelaySeconds);
}

interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** Turns an error of nodemailer into one that may be logged: a server's reply can repeat what it was sent. */
export function mailFailure(cause: unknown, { login }: SmtpServer, recipient: string): MailFailure {
  const { code, command, responseCode, message } = cause as SmtpError;
  // A wrong login or sender can be fixed by the operator, so it is not permanent.
  const permanent =
    code === 'EENVELOPE' && (command === 'API' || (command === 'RCPT TO' && Number(responseCode) >= 500));
  const secrets = [recipient, ...(login ? encodingsOf(login) : [])].filter((text) => text !== '');
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message);
  return new MailFailure(oneLine(`${code ?? 'failed'}: ${shown}`, 300), permanent);
}

/** A login as a server may repeat it: in plain text, percent-encoded, and as PLAIN and LOGIN send it. */
function encodingsOf({ user, pass }: NonNullable<SmtpServer['login']>): string[] {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return [base64(`\0${user}\0${pass}`), base64(pass), encodeURIComponent(pass), pass];
}
