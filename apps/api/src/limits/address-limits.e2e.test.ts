import { generateApiKey } from '@rewardhook/contract';
import { buildOrder } from '@rewardhook/testing';
import { bootPath, callApi, syncPath } from '../../../../tests/harness/call-api.ts';
import { startApi } from '../../../../tests/harness/start-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { userHashOf } from '../../../../tests/harness/open-merchant.ts';
import type { Answer } from '../../../../tests/harness/call-api.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import type { RunningApi } from '../../../../tests/harness/start-api.ts';

const rates = { addressRequests: 1 };
const limits = { unknownKeysPerSecond: 1 };
/** Of both limits: 30 seconds of them at once. */
const burst = 30;
const flooding = 3 * burst;

let nextAddress = 1;
const anyAddress = () => `203.0.113.${nextAddress++}`;

describe('the limits of an address', () => {
  let flow: Flow;
  let api: RunningApi;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    api = await startApi({ ...flow.environment, rates, limits, trustedProxies: 1 });
    merchant = await flow.openMerchant();
    await flow.admin('merchant update', {
      merchant: merchant.id,
      'landing-url': 'https://shop.example.com/',
    });
  });
  afterAll(async () => {
    await api.close();
    await flow.close();
  });

  const from = (address: string) => ({ 'x-forwarded-for': address });
  const boot = (address: string, user_id = 'ann') =>
    callApi(
      api.url,
      bootPath,
      { user_id, user_hash: userHashOf(merchant, user_id) },
      { key: merchant.publicKey, headers: from(address) },
    );
  const sync = (key: string, address: string) =>
    callApi(api.url, syncPath, { orders: [buildOrder({ items: [] })] }, { key, headers: from(address) });
  /** Ten at a time: more reads of keys at once can take longer than the API waits for the database. */
  const many = async (times: number, run: (index: number) => Promise<Answer>): Promise<Answer[]> => {
    const answers: Answer[] = [];
    let next = 0;
    const client = async () => {
      while (next < times) answers.push(await run(next++));
    };
    await Promise.all(Array.from({ length: 10 }, client));
    return answers;
  };
  const count = (answers: Answer[], status: number) =>
    answers.filter((answer) => answer.status === status).length;

  it('Boot requests of an address above its limit are refused, those of other addresses are not', async () => {
    const address = anyAddress();
    const answers = await many(flooding, () => boot(address));
    expect(count(answers, 200)).toBeGreaterThanOrEqual(burst);
    const refused = answers.find(({ status }) => status === 429) as Answer;
    expect(refused.body.code).toBe('rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await boot(anyAddress())).status).toBe(200);
    expect(await api.metrics.registry.metrics()).toContain(
      'rewardhook_requests_refused_total{reason="address_requests"}',
    );
  });

  it('Share links have a limit of their own, and a refused visitor leaves no click', async () => {
    const address = anyAddress();
    const code = String((await boot(address)).body.data['referral_code']);
    const follow = () => callApi(api.url, `/r/${code}`, undefined, { method: 'GET', headers: from(address) });
    const answers = await many(flooding, follow);
    expect(count(answers, 302)).toBeGreaterThanOrEqual(burst);
    expect(count(answers, 302) + count(answers, 429)).toBe(flooding);
    expect(count(answers, 429)).toBeGreaterThan(0);
    const clicks = await flow.database.click.count({ where: { merchantId: merchant.id } });
    expect(clicks).toBeLessThanOrEqual(count(answers, 302));
    expect((await boot(address)).status).toBe(200);
  });

  it('All addresses of an IPv6 network are one, and texts that are no address are that of the proxy', async () => {
    const ofNetwork = await many(flooding, (index) => boot(`2001:db8:1:2::${index.toString(16)}`));
    expect(count(ofNetwork, 429)).toBeGreaterThan(0);
    expect((await boot('2001:db8:1:3::1')).status).toBe(200);
    const ofTexts = await many(flooding, (index) => boot(`not-an-address-${index}`));
    expect(count(ofTexts, 429)).toBeGreaterThan(0);
  });

  it('An address that sends unknown keys is refused without a read, while known keys from it still work', async () => {
    const address = anyAddress();
    const fresh = await flow.openMerchant();
    expect((await sync(merchant.secretKey, address)).status).toBe(202);
    const [answers, known] = await Promise.all([
      many(flooding, () => sync(generateApiKey('secret'), address)),
      many(20, () => sync(merchant.secretKey, address)),
    ]);
    // A busy machine may refuse some with 503 before that.
    const refused = answers.find(({ status }) => status === 429) as Answer;
    expect(refused.body.code).toBe('rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(count(known, 202)).toBe(20);
    expect((await sync(fresh.secretKey, anyAddress())).status).toBe(202);
    expect((await sync(generateApiKey('secret'), anyAddress())).status).toBe(401);
    expect(await api.metrics.registry.metrics()).toContain(
      'rewardhook_requests_refused_total{reason="unknown_keys"}',
    );
  });

  it('One unknown key that is sent again and again counts once, and malformed keys do not count', async () => {
    const address = anyAddress();
    const revoked = generateApiKey('secret');
    const answers = [
      ...(await many(flooding, () => sync(revoked, address))),
      ...(await many(flooding, (index) => sync(`svc_sk_malformed${index}`, address))),
    ];
    expect(count(answers, 401)).toBe(2 * flooding);
    expect((await sync(generateApiKey('secret'), address)).status).toBe(401);
  });
});
