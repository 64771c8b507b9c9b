import { publishProgram } from '@rewardhook/database';
import { parseTerms } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import type { DatabaseDefaults } from '@rewardhook/testing/servers';
import { openConsole } from '../apps/console/testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../apps/console/testing/open-console.ts';
import type { CredentialsView } from '../apps/console/src/api-types.ts';
import { startFlow } from './harness/start-flow.ts';
import type { Flow } from './harness/start-flow.ts';

const defaults: [string, DatabaseDefaults | undefined][] = [
  ['that has the settings of the server', undefined],
  [
    'in Asia/Seoul, with the fewest digits of numbers',
    { of: 'database', settings: { TimeZone: 'Asia/Seoul', extra_float_digits: '0' } },
  ],
  [
    'whose role is in America/New_York, with the fewest digits of numbers',
    { of: 'role', settings: { TimeZone: 'America/New_York', extra_float_digits: '0' } },
  ],
];

const isTime = (value: unknown): value is string => /^\d{4}-\d\d-\d\dT/.test(String(value));

/** All times in a JSON document, with the path of each. */
const timesOf = (value: unknown, path = ''): [path: string, time: string][] => {
  if (isTime(value)) return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => timesOf(inner, `${path}/${name}`));
};

/** The document as the command line prints it. */
const printed = (document: unknown): unknown =>
  JSON.parse(
    JSON.stringify(document, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  );

describe.each(defaults)('On a database %s', (_name, databaseDefaults) => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  let startedAt: number;
  beforeAll(async () => {
    startedAt = Date.now();
    flow = await startFlow({ databaseDefaults });
    running = await openConsole(flow.environment);
    owner = await running.signUp();
  });
  afterAll(async () => {
    await running?.close();
    await flow?.close();
  });

  const rotate = (hours: number) =>
    flow.admin('signing-key rotate', { merchant: owner.merchant.id, 'overlap-hours': String(hours) });
  const shownKeys = async () =>
    (await flow.admin('signing-key show', { merchant: owner.merchant.id }))['signingKeys'] as {
      id: string;
      signingSecret: string;
    }[];
  const credentials = async () => (await owner.browser.get('/credentials')).data as CredentialsView;

  /** Those of the times that are neither sent nor between the start of the test and now. */
  const wrong = (times: [string, string][], sent: string[] = []) =>
    times.filter(([, time]) => {
      const at = Date.parse(time);
      // The clock of PostgreSQL has microseconds.
      return !sent.some((one) => Date.parse(one) === at) && !(at >= startedAt && at <= Date.now() + 1);
    });

  it('The command "order show" prints every time right', async () => {
    const { merchant } = owner;
    await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({
      member_id: 'bob',
      order_date: '2026-03-08T01:30:00-05:00',
      paid_at: '2026-03-08T03:30:00-04:00',
    });
    await flow.syncAndSettle(merchant, order);
    const cancelled = { ...order, cancelled_at: '2026-03-09T00:00:00+09:00' };
    await flow.syncAndSettle(merchant, cancelled);
    const show = await flow.admin('order show', { merchant: merchant.id, order: order.order_id });
    const times = timesOf(printed(show));
    expect(times.length).toBeGreaterThanOrEqual(14);
    const sent = [cancelled.order_date, String(cancelled.paid_at), cancelled.cancelled_at];
    expect(wrong(times, sent)).toEqual([]);
    expect(show['order']).toMatchObject({
      orderDate: new Date(cancelled.order_date),
      paidAt: new Date(String(cancelled.paid_at)),
      cancelledAt: new Date(cancelled.cancelled_at),
    });
  });

  it('The console shows the times of all keys right', async () => {
    await flow.syncAndSettle(owner.merchant, buildOrder());
    const { api_keys: apiKeys, signing_keys: signingKeys } = await credentials();
    const times = timesOf({ apiKeys, signingKeys });
    expect(times.map(([path]) => path)).toEqual(
      expect.arrayContaining([
        '/apiKeys/0/created_at',
        '/signingKeys/0/created_at',
        '/signingKeys/0/promoted_at',
      ]),
    );
    expect(wrong(times)).toEqual([]);
  });

  it('After a rotation without an overlap exactly the new signing key is listed, and it signs', async () => {
    const { signingKeyId: id } = await rotate(0);
    expect((await shownKeys()).map((key) => key.id)).toEqual([id]);
    expect((await credentials()).signing_keys).toEqual([
      expect.objectContaining({ id, expires_at: null, active: true }),
    ]);
  });

  it('During an overlap of one hour the key that still signs is listed beside the new one', async () => {
    const [former] = await shownKeys();
    const { signingKeyId: id } = await rotate(1);
    expect((await shownKeys()).map((key) => key.id)).toEqual([id, former?.id]);
    expect((await credentials()).signing_keys).toMatchObject([
      { id, expires_at: null, active: false },
      { id: former?.id, active: true },
    ]);
    const hook = await flow.receiver(
      { ...owner.merchant, signingSecret: former?.signingSecret ?? '' },
      'reward.issue',
      {},
      '/overlap',
    );
    await flow.link(owner.merchant, 'cho', 'dan');
    await flow.syncAndSettle(owner.merchant, buildOrder({ member_id: 'dan' }));
    const received = await hook.waitFor(({ event }) => event === 'reward.issue', 10_000);
    expect(received.verified).toBe(true);
  });

  it('33.33 % of 9,007,199,254,740,991 won is a reward of 3,002,099,511,605,172', async () => {
    const { merchant } = owner;
    const amount = { kind: 'percent' as const, rate: 33.33, cap: null };
    await publishProgram(
      flow.database,
      merchant.id,
      parseTerms({
        referrer: null,
        referee: { type: 'points', unit: 'points', amount },
      }),
    );
    await flow.link(merchant, 'eve', 'fay');
    const order = buildOrder({
      member_id: 'fay',
      order_amount: Number.MAX_SAFE_INTEGER,
      paid_amount: Number.MAX_SAFE_INTEGER,
      shipping_amount: 0,
    });
    await flow.syncAndSettle(merchant, order);
    const { rewards, events } = printed(
      await flow.admin('order show', { merchant: merchant.id, order: order.order_id }),
    ) as { rewards: { amount: unknown }[]; events: { body: string }[] };
    expect(rewards.map(({ amount: given }) => String(given))).toEqual(['3002099511605172']);
    expect(events.map(({ body }) => body)).toEqual([expect.stringMatching(/"amount":3002099511605172[,}]/)]);
  });
});
