import { findMerchant, findPendingContact, listMemberships } from '@rewardhook/database';
import type { SessionView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';

/** What a session shows: the user, the merchant looked at, and all that they belong to. */
export async function viewSession(
  { database, apiPublicUrl }: Pick<ConsoleDependencies, 'database' | 'apiPublicUrl'>,
  session: { userId: string; email: string; merchantId: string },
): Promise<SessionView> {
  const { userId, email, merchantId } = session;
  const [merchant, pendingContact, memberships] = await Promise.all([
    findMerchant(database, merchantId),
    findPendingContact(database, merchantId),
    listMemberships(database, userId),
  ]);
  const current = memberships.find((one) => one.merchantId === merchantId);
  if (!merchant || !current) throw new Error('the session looks at a merchant that is gone');
  return {
    user: { id: userId, email },
    role: current.role,
    merchant: {
      id: merchant.id,
      name: merchant.name,
      timezone: merchant.timezone,
      contact_email: merchant.contactEmail,
      contact_email_pending: pendingContact ?? null,
    },
    api_url: apiPublicUrl ?? null,
    merchants: memberships.map(({ merchantId: id, name, role }) => ({
      id,
      name,
      role,
    })),
  };
}
