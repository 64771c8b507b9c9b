import { completeAllNotices } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { openConfiguredMailer } from '@rewardhook/mail';
import { repeat } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import type { NoticeSettings } from '../environment.ts';
import { mailNotices } from './mail-notices.ts';

const pauseMs = 5_000;
/** How long a mail under way may take when the process ends, in milliseconds. */
const patienceMs = 1_500;

/** Starts the sweeper that mails notices, or that marks them as done where no mail is configured. */
export function startNoticeMail(
  settings: NoticeSettings,
  database: Database,
  { log, metrics, release }: Pick<ProcessContext, 'log' | 'metrics' | 'release'>,
): void {
  const mailer = openConfiguredMailer(settings);
  const name = 'mail of notices';
  if (!mailer) {
    const sweeper = repeat(name, pauseMs, log, () => completeAllNotices(database));
    return release(name, () => sweeper.stop());
  }
  const mails = metrics.counter('notice_mails_total', 'Digests of notices by the outcome of mailing them', [
    'outcome',
  ]);
  const ending = new AbortController();
  const cutOff = new AbortController();
  const sweep = mailNotices({
    database,
    mailer,
    periodSeconds: settings.NOTICE_DIGEST_MINUTES * 60,
    operatorEmail: settings.NOTICE_OPERATOR_EMAIL,
    consoleUrl: settings.CONSOLE_PUBLIC_URL,
    ending: ending.signal,
    cutOff: cutOff.signal,
    log,
    observe: (outcome) => mails.inc({ outcome }),
  });
  const sweeper = repeat(name, pauseMs, log, sweep);
  release(name, async () => {
    ending.abort();
    const patience = setTimeout(() => cutOff.abort(), patienceMs);
    await sweeper.stop();
    clearTimeout(patience);
  });
}
