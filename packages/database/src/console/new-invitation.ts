import { createHash, randomBytes } from 'node:crypto';
import { newId } from '@rewardhook/contract';
import type { NewInvitation } from './invitations.ts';

/** What is kept of the token of an invitation. */
export function hashInvitationToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/**
 * A new invitation: the row, and the path of its link on the console, `/invitations/<token>`. The token is 256 random
 * bits, and of it only the SHA-256 is kept. The e-mail is given in lower case.
 */
export function newInvitation(guest: { merchantId: string; email: string; role: string }): {
  row: NewInvitation;
  path: string;
} {
  const token = randomBytes(32).toString('base64url');
  return {
    row: { ...guest, id: newId('inv'), tokenSha256: hashInvitationToken(token) },
    path: `/invitations/${token}`,
  };
}
