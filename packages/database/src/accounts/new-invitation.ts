import { newId } from '@rewardhook/contract';
import type { NewInvitation } from './invitations.ts';
import { newLinkToken } from './link-token.ts';

/**
 * A new invitation: the row, and the path of its link on the console, `/invitations/<token>`. The e-mail is given in
 * lower case.
 */
export function newInvitation(guest: { merchantId: string; email: string; role: string }): {
  row: NewInvitation;
  path: string;
} {
  const { token, tokenSha256 } = newLinkToken();
  return { row: { ...guest, id: newId('inv'), tokenSha256 }, path: `/invitations/${token}` };
}
