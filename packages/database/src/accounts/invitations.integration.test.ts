import { insertInvitation, listInvitations } from './invitations.ts';
import { newInvitation } from './new-invitation.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

const merchantId = 'mer_1';
const roles = ['owner', 'developer', 'viewer'];
useDatabase(6);
beforeAll(async () => {
  await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
});

it('of invitations of one guest at the same moment one stays open', async () => {
  for (let round = 0; round < 5; round += 1) {
    const email = `guest-${round}@shop.example`;
    const invite = (role: string) =>
      insertInvitation(database, newInvitation({ merchantId, email, role }).row, { mail: false });
    await Promise.all([...roles, ...roles].map(invite));
    const open = (await listInvitations(database, merchantId)).filter((one) => one.email === email);
    expect(open.length).toBe(1);
  }
});
