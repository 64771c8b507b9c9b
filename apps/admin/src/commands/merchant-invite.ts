import { insertInvitation, newInvitation, normalizeEmail, teamRoles } from '@rewardhook/database';
import type { TeamRole } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { requireMerchant } from '../require-merchant.ts';

const isTeamRole = (role: string): role is TeamRole => (teamRoles as readonly string[]).includes(role);

export const merchantInvite = command({
  does: 'Invite somebody to the console of a merchant. The link is shown this once and is good for 7 days. Give it to the owner of the address only: whoever opens it is treated as the owner.',
  required: { merchant: 'merchant id', email: 'address of the person to invite; they sign in with it' },
  optional: { role: `${teamRoles.join(', ')} (default owner)` },
  async run({ merchant, email, role = 'owner' }, { database, consoleUrl }) {
    if (!isTeamRole(role)) throw new UsageError(`--role is one of ${teamRoles.join(', ')}, not ${role}.`);
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`${email} is not an e-mail address.`);
    await requireMerchant(database, merchant);
    const { row, path } = newInvitation({
      merchantId: merchant,
      email: normalizeEmail(email),
      role,
    });
    const { expiresAt } = await insertInvitation(database, row, { mail: false });
    return { document: { invitationId: row.id, role, link: `${consoleUrl}${path}`, expiresAt } };
  },
});
