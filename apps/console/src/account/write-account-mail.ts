import {
  findUserByEmail,
  insertSignUp,
  renewContactConfirmation,
  renewInvitationLink,
  upsertPasswordReset,
} from '@rewardhook/database';
import type { ClaimedAccountMail, Database } from '@rewardhook/database';
import { oneLine, writeSections } from '@rewardhook/mail';
import type { MailText } from '@rewardhook/mail';
import { english, korean } from './account-mail-texts.ts';
import type { MailTexts } from './account-mail-texts.ts';

/**
 * Writes a mail and creates its link. Undefined when the mail is no longer needed or its recipient no longer exists.
 * Subjects contain no text of users. The name of a merchant is in the text, shortened to one line. Links begin with the
 * configured URL of the console.
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

/** A name of up to 60 characters, without characters that mail programs turn into links. */
function shownName(name: string): string {
  return oneLine(name.replace(/[./:@]/g, ' '), 60);
}

function write(kind: keyof MailTexts, link: string, merchantName?: string): MailText {
  const sections = [korean, english].map((texts) => {
    const { title, text, act, hint } = texts[kind];
    const merchant: [string, string][][] =
      merchantName === undefined ? [] : [[[texts.labels.merchant, shownName(merchantName)]]];
    return { title, blocks: [text, ...merchant, { link, label: act }, ...hint] };
  });
  return {
    subject: `[Rewardhook] ${korean[kind].title} / ${english[kind].title}`,
    ...writeSections(sections),
  };
}
