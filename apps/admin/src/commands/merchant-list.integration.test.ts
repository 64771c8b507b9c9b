import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => (flow = await startFlow({ workers: false })));
afterAll(() => flow.close());

/** Creates a merchant with a user. Returns its id. */
async function createMerchant(name: string, user: { email: string; role: string }): Promise<string> {
  const { merchantId } = await flow.admin('merchant create', { name });
  const id = `usr_${user.email}`;
  await flow.database.user.upsert({
    where: { id },
    create: { id, email: user.email, passwordHash: '' },
    update: {},
  });
  await flow.database.membership.create({
    data: { merchantId: String(merchantId), userId: id, role: user.role },
  });
  return String(merchantId);
}

/** The names that the command lists. */
async function namesOf(options: Record<string, string>): Promise<string[]> {
  const { merchants } = await flow.admin('merchant list', options);
  return (merchants as { name: string }[]).map(({ name }) => name);
}

describe('merchant list', () => {
  let tea: string;
  beforeAll(async () => {
    tea = await createMerchant('Tea shop', { email: 'olga@tea.example', role: 'owner' });
    await createMerchant('100% Coffee_Bar', { email: 'olga@tea.example', role: 'viewer' });
    await createMerchant('Büchershop', { email: 'bo@books.example', role: 'owner' });
    await flow.admin('key create --test', { merchant: tea, kind: 'secret' });
  });

  it('shows live merchants with the addresses of their owners, newest first', async () => {
    const { merchants } = await flow.admin('merchant list', { email: 'olga@tea.example' });
    expect(merchants).toEqual([
      expect.objectContaining({ name: '100% Coffee_Bar', owners: [] }),
      {
        id: tea,
        name: 'Tea shop',
        timezone: 'Asia/Seoul',
        owners: ['olga@tea.example'],
        paused: [],
        createdAt: expect.anything(),
      },
    ]);
  });

  it.each([
    [{ name: 'SHOP' }, ['Büchershop', 'Tea shop']],
    [{ name: 'Büch' }, ['Büchershop']],
    [{ name: '%' }, ['100% Coffee_Bar']],
    [{ name: 'shop', email: 'Olga@Tea.example' }, ['Tea shop']],
    [{ name: 'shop', limit: '1' }, ['Büchershop']],
    [{ email: 'nobody@tea.example' }, []],
  ])('finds the merchants of %j', async (options, names) => {
    expect(await namesOf(options)).toEqual(names);
  });
});
