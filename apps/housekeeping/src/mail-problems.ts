import {
  claimProblemMail,
  completeAllProblemMails,
  completeProblemMail,
  findOperatorProblems,
  postponeProblemMail,
} from '@rewardhook/database/operations';
import type { MailedProblem, ProblemMail, ProblemRecipient } from '@rewardhook/database/operations';
import type { Sql } from '@rewardhook/database/stages';
import { longestMailMs, MailFailure, oneLine, openConfiguredMailer, writeSections } from '@rewardhook/mail';
import type { Mailer, MailSection, MailText } from '@rewardhook/mail';
import type { TaskPlan } from '@rewardhook/pipeline';
import { withoutTrailingSlashes } from '@rewardhook/process';
import type { Logger } from '@rewardhook/process';
import type { NoticeSettings } from './environment.ts';
import { english, korean } from './problem-mail-texts.ts';
import type { ProblemMailTexts } from './problem-mail-texts.ts';
import { formatTime } from './write-digest.ts';

/** The lease of a claimed mail: longer than mails to all owners can take. */
const leaseSeconds = (6 * longestMailMs) / 1_000;
/** Minimum number of seconds between two digests of a merchant. */
const digestSeconds = 3_600;
/** After a failure that is not permanent, the mail is tried again after this time, for a day. */
const retrySeconds = 60;
/** Problems that a mail describes; it gives the number of the others. */
const maxDescribed = 20;

/** Who can be mailed, in the order in which they are tried. */
interface Recipients {
  recipient: ProblemRecipient;
  addresses: string[];
}

/**
 * Returns the task that mails problems: to the merchant's confirmed contact address, else to the owners of its team, else to the
 * operator. Where there is nobody, the problem says so.
 */
export function openProblemMail(
  settings: NoticeSettings,
  { database, log }: { database: Sql; log: Logger },
): TaskPlan['run'] {
  const mailer = openConfiguredMailer(settings);
  if (!mailer) return () => completeAllProblemMails(database);
  const { NOTICE_OPERATOR_EMAIL: operatorEmail, CONSOLE_PUBLIC_URL: consoleUrl } = settings;
  return async (signal) => {
    const ofOperator = await findOperatorProblems(database);
    if (ofOperator)
      await mailProblems({ mail: ofOperator, database, mailer, operatorEmail, consoleUrl, signal, log });
    while (!signal.aborted) {
      const mail = await claimProblemMail(database, leaseSeconds);
      if (!mail) return;
      await mailProblems({ mail, database, mailer, operatorEmail, consoleUrl, signal, log });
    }
  };
}

async function mailProblems(options: {
  mail: ProblemMail;
  database: Sql;
  mailer: Mailer;
  operatorEmail: string | undefined;
  consoleUrl: string | undefined;
  signal: AbortSignal;
  log: Logger;
}): Promise<void> {
  const { mail, database, mailer, operatorEmail, consoleUrl, signal, log } = options;
  const content = writeProblems(mail, consoleUrl);
  const id = mail.problems[0]?.id ?? '';
  for (const { recipient, addresses } of recipientsOf(mail, operatorEmail)) {
    try {
      for (const [index, to] of addresses.entries())
        await mailer.send({ to, id: `${id}.${recipient}.${index}`, content }, signal);
      return await completeProblemMail(database, mail, recipient, digestSeconds);
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      log.warn('a mail about problems was not accepted', {
        merchantId: mail.merchantId,
        recipient,
        permanent: error.permanent,
        reason: error.message,
      });
      // The next recipient gets it only when this one never can.
      if (!error.permanent) return postponeProblemMail(database, mail.merchantId, retrySeconds);
    }
  }
  await completeProblemMail(database, mail, 'none', 0);
}

function recipientsOf({ contactEmail, ownerEmails }: ProblemMail, operatorEmail?: string): Recipients[] {
  const all: Recipients[] = [
    { recipient: 'contact', addresses: contactEmail === null ? [] : [contactEmail] },
    { recipient: 'owners', addresses: ownerEmails },
    { recipient: 'operator', addresses: operatorEmail === undefined ? [] : [operatorEmail] },
  ];
  return all.filter(({ addresses }) => addresses.length > 0);
}

/** Writes a mail about problems, in Korean and then in English. The subject contains no text of the merchant's own. */
function writeProblems(mail: ProblemMail, consoleUrl: string | undefined): MailText {
  const languages = [korean, english];
  const titles = languages.map((texts) => titleOf(mail.problems, texts));
  return {
    subject: `[Rewardhook] ${titles.join(' / ')}`,
    ...writeSections(languages.map((texts) => sectionOf(mail, texts, consoleUrl))),
  };
}

function titleOf(problems: MailedProblem[], texts: ProblemMailTexts): string {
  const [first] = problems;
  return first && problems.length === 1 ? texts.kinds[first.kind].title : texts.labels.count(problems.length);
}

function sectionOf(
  { merchantId, merchantName, timezone, problems }: ProblemMail,
  texts: ProblemMailTexts,
  consoleUrl: string | undefined,
): MailSection {
  const { kinds, labels } = texts;
  const more = problems.length - maxDescribed;
  const shop: MailSection['blocks'] = merchantId === '' ? [] : [[[labels.shop, oneLine(merchantName, 60)]]];
  const link: MailSection['blocks'] =
    consoleUrl === undefined || merchantId === ''
      ? []
      : [{ link: `${withoutTrailingSlashes(consoleUrl)}/problems`, label: labels.console }];
  return {
    title: titleOf(problems, texts),
    blocks: [
      ...shop,
      ...problems.slice(0, maxDescribed).flatMap(({ kind, subject, openedAt, number, lastError }) => {
        const table: [string, string][] = [
          ...(subject === '' ? [] : [[labels.subject, oneLine(subject, 60)] as [string, string]]),
          [labels.since, formatTime(openedAt, timezone)],
          [kinds[kind].counts, String(number)],
          ...(lastError === null ? [] : [[labels.lastError, oneLine(lastError, 60)] as [string, string]]),
        ];
        return [kinds[kind].title, table, kinds[kind].advice];
      }),
      ...(more > 0 ? [labels.more(more)] : []),
      ...link,
    ],
  };
}
