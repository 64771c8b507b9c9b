import { insertInvitation, listInvitations, newInvitation } from './invitations.ts';
import { teamRoles } from '../states.ts';
import type { TeamRole } from '../states.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

const merchantId = 'mer_1';
useDatabase(6);
beforeAll(async () => {
  await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
});

it('Of concurrent invitations of one address, one stays open', async () => {
  for (let round = 0; round < 5; round += 1) {
    const email = `guest-${round}@shop.example`;
    const invite = (role: TeamRole) =>
      insertInvitation(database, newInvitation({ merchantId, email, role }).row, { mail: false });
    await Promise.all([...teamRoles, ...teamRoles].map(invite));
    const open = (await listInvitations(database, merchantId)).filter((one) => one.email === email);
    expect(open.length).toBe(1);
  }
});
