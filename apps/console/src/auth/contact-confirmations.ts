import { confirmContact, findContactConfirmation } from '@rewardhook/database';
import type { PendingContactConfirmation } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { openRoute } from '../http/route.ts';

/** GET /contact-confirmations/:token */
export const showContactConfirmation = ({ database }: ConsoleDependencies) =>
  openRoute(
    'GET',
    '/contact-confirmations/:token',
    async ({ params }): Promise<PendingContactConfirmation> => {
      const found = await findContactConfirmation(database, String(params['token']));
      if (!found) throw notFound();
      const { email, merchantName, expiresAt } = found;
      return { email, merchant: { name: merchantName }, expires_at: expiresAt };
    },
  );

/** POST /contact-confirmations/:token: notices of the merchant go to the address from now on. */
export const confirmContactAddress = ({ database }: ConsoleDependencies) =>
  openRoute('POST', '/contact-confirmations/:token', async ({ params }) => {
    if (!(await confirmContact(database, String(params['token'])))) throw notFound();
    return undefined;
  });
