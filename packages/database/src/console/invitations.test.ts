import { createTestDatabase } from '@rewardhook/testing';
import type { TestDatabase } from '@rewardhook/testing';
import { openDatabase } from '../client.ts';
import type { Database } from '../client.ts';
import { insertInvitation, listInvitations } from './invitations.ts';
import { newInvitation } from './new-invitation.ts';

const merchantId = 'mer_1';
const roles = ['owner', 'developer', 'viewer'];
let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await createTestDatabase();
  database = openDatabase({ url: test.url, poolSize: 6, applicationName: 'test' });
  await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
});
afterAll(async () => {
  await database.$disconnect();
  await test.drop();
});

it('of invitations of one guest at the same moment one stays open', async () => {
  for (let round = 0; round < 5; round += 1) {
    const email = `guest-${round}@shop.example`;
    const invite = (role: string) =>
      insertInvitation(database, newInvitation({ merchantId, email, role }).row);
    await Promise.all([...roles, ...roles].map(invite));
    const open = (await listInvitations(database, merchantId)).filter((one) => one.email === email);
    expect(open.length).toBe(1);
  }
});
