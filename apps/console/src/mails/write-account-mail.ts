import {
  findUserByEmail,
  renewContactConfirmation,
  renewInvitationLink,
  upsertPasswordReset,
  insertSignUp,
} from '@rewardhook/database';
import type { ClaimedAccountMail, Database } from '@rewardhook/database';
import { oneLine, writeSections } from '@rewardhook/mail';
import type { MailText } from '@rewardhook/mail';
import { english, korean } from './mail-words.ts';
import type { MailWords } from './mail-words.ts';

/**
 * Writes a mail, and makes its link. Undefined when there is nothing to say any more, or nobody to say it to. Subjects
 * hold nothing that a user has chosen; the name of a merchant is in the text, on one line and shortened. Links begin
 * with the console's configured address.
 */
export async function writeAccountMail(
  database: Database,
  mail: ClaimedAccountMail,
  publicUrl: string,
): Promise<MailText | undefined> {
  const { kind, recipient, merchantId, subjectId } = mail;
  if (kind === 'sign_up') {
    if (await findUserByEmail(database, recipient)) return write('accountExists', `${publicUrl}/sign-in`);
    return write('signUp', publicUrl + (await insertSignUp(database, recipient)).path);
  }
  if (kind === 'password_reset') {
    const opened = await upsertPasswordReset(database, recipient);
    return opened && write('passwordReset', publicUrl + opened.path);
  }
  if (merchantId === null) return undefined;
  if (kind === 'contact_confirmation') {
    const opened = await renewContactConfirmation(database, { merchantId, email: recipient });
    return opened && write('contact', publicUrl + opened.path, opened.merchantName);
  }
  const opened = await renewInvitationLink(database, { merchantId, id: subjectId ?? '' });
  return opened && write('invitation', publicUrl + opened.path, opened.merchantName);
}

/** A name of 60 characters without what a mail program would make a link of. */
function shownName(name: string): string {
  return oneLine(name.replace(/[./:@]/g, ' '), 60);
}

function write(kind: keyof MailWords, link: string, merchantName?: string): MailText {
  const sections = [korean, english].map((words) => {
    const { title, text, act, hint } = words[kind];
    const merchant: [string, string][][] =
      merchantName === undefined ? [] : [[[words.labels.merchant, shownName(merchantName)]]];
    return { title, blocks: [text, ...merchant, { link, label: act }, ...hint] };
  });
  return {
    subject: `[Rewardhook] ${korean[kind].title} / ${english[kind].title}`,
    ...writeSections(sections),
  };
}
