import { buildItem, buildOrder, waitFor } from '@rewardhook/testing';
import { bootPath, callApi, linkPath, syncPath } from '../../../../tests/harness/call-api.ts';
import type { Answer, CallOptions } from '../../../../tests/harness/call-api.ts';
import { userHashOf } from '../../../../tests/harness/open-merchant.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { RequestErrorsView, RequestRow, RequestView } from '../api-types.ts';

const route = 'POST /api/open/orders/sync';
const badOrders = {
  orders: [buildOrder(), buildOrder({ order_id: 'A-1003', order_amount: -1 })],
};
/** A text of a client that must not be stored. */
const marker = 'xClientText';

describe('Requests in the console', () => {
  let flow: Flow;
  let running: RunningConsole;
  let shop: SignedUpMerchant;
  let badAnswer: Answer;
  /** How many requests of the shop were refused, by the path and the code. */
  const refused: Record<string, number> = {};
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    running = await openConsole(flow.environment);
    shop = await running.signUp('Moon shop');
    const { secretKey, publicKey } = shop.merchant;
    badAnswer = await send(badOrders, 'shop-7');
    await send({ orders: [] }, 'nobody', { key: `${secretKey.slice(0, -1)}x` });
    await send({ orders: [buildOrder()] }, 'plain');
    await send(
      { orders: [buildOrder(), { ...buildOrder({ order_id: 'A-1' }), canceled_at: null }] },
      'warned',
    );
    await send({ orders: [] }, 'twice');
    await send({ orders: [] }, 'twice');
    await send({}, 'link', {}, linkPath);
    await send({}, 'boot', { key: publicKey }, bootPath);
    const signed = { user_id: 'yuna', user_hash: userHashOf(shop.merchant, 'yuna') };
    await send(signed, 'booted', { key: publicKey }, bootPath);
    await sendTexts();
    await send({ orders: [] }, 'last');
    await waitFor(async () => (await list('request_id=last')).length === 1, { what: 'the last request' });
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  async function send(body: unknown, requestId: string, options: CallOptions = {}, path = syncPath) {
    const answer = await callApi(flow.url, path, body, {
      key: shop.merchant.secretKey,
      ...options,
      headers: { 'x-request-id': requestId, ...options.headers },
    });
    const {
      status,
      body: { code },
    } = answer;
    const name = `${path.replace(/\/$/, '')} ${code}`;
    if (status >= 400 && requestId !== 'nobody') refused[name] = (refused[name] ?? 0) + 1;
    return answer;
  }
  /** Requests with texts of a client wherever one can be. */
  async function sendTexts(): Promise<void> {
    const strict = { headers: { prefer: 'handling=strict' } };
    const item = { ...buildItem(), [marker]: 1, [`${marker}.a[1]`]: 1 };
    const order = buildOrder({ order_id: 'A-1', items: [item] });
    const names = { [marker]: 1, [`items[0].${marker}`]: 1, [`orders[0].${marker}`]: 1 };
    const values = { currency: marker, member_id: ` ${marker}\u200b`, updated_at: marker };
    const bodies: unknown[] = [
      { orders: [{ ...order, ...names }], ...names },
      { orders: [{ ...order, ...values, member_id: { [marker]: 1 } }] },
      { orders: [{ ...order, ...values, ...names }] },
      { orders: marker },
      `{"orders":[${marker}`,
      `"${marker}"`,
      `${marker} `,
    ];
    for (const body of bodies) {
      await send(body, 'strict', strict);
      await send(body, 'lenient');
    }
    const boots = [
      { user_id: marker, user_hash: 'a0'.repeat(32), ...names },
      { user_id: 1, ...names },
    ];
    for (const body of boots) await send(body, 'boot', { key: shop.merchant.publicKey }, bootPath);
    const link = { referrer_member_id: marker, referee_member_id: marker, ...names };
    await send(link, 'link-texts', strict, linkPath);
    const grant = { role: marker, amount: marker, reason: marker };
    const path = `/api/open/orders/${marker}/rewards/`;
    await send(grant, 'grant', { headers: { 'idempotency-key': marker } }, path);
    for (const read of [`orders/${marker}/`, `events/?${marker}=1&after=${marker}&types=${marker}`])
      await send(undefined, 'read', { method: 'GET' }, `/api/open/${read}`);
  }
  const list = async (query: string) =>
    ((await shop.browser.get(`/requests?limit=200&${query}`)).data as { items: RequestRow[] }).items;
  const idsOf = async (query: string) => (await list(query)).map(({ request_id: id }) => id);
  const show = async (row: RequestRow | undefined) =>
    (await shop.browser.get(`/requests/${row?.id}`)).data as RequestView;

  it('A bad order_amount is found by its request_id, also by the search, with its field and its order', async () => {
    expect(badAnswer.body.request_id).toBe('shop-7');
    const [row] = await list('request_id=shop-7');
    expect(row).toMatchObject({ route, status: 400, code: 'invalid_request', error_count: 1 });
    expect(row?.size).toBe(Buffer.byteLength(JSON.stringify(badOrders)));
    const { errors, order_ids: orderIds } = await show(row);
    const message = badAnswer.body.params?.['orders[1].order_amount'];
    expect(errors).toEqual([{ path: 'orders[1].order_amount', code: 'too_small', message }]);
    expect(orderIds).toEqual(['A-1003']);
    const search = await shop.browser.get('/search?q=shop-7');
    expect(search.data).toEqual([{ kind: 'request', items: [{ id: 'shop-7', about: route }], more: false }]);
  });

  it('Errors counts every refused request by route and code', async () => {
    const errors = (await shop.browser.get('/requests/errors')).data as RequestErrorsView;
    const ofRoute = (path: string) => Object.entries(refused).filter(([name]) => name.startsWith(path));
    for (const path of [syncPath, bootPath, linkPath].map((one) => one.replace(/\/$/, ''))) {
      const counted = errors.counts.filter((one) => one.route === `POST ${path}`);
      expect(counted.map(({ code, day, week }) => [`${path} ${code}`, day, week])).toEqual(
        ofRoute(path).map(([name, number]) => [name, number, number]),
      );
    }
    const all = Object.values(refused).reduce((sum, number) => sum + number, 0);
    expect(errors.counts.reduce((sum, { week }) => sum + week, 0)).toBe(all);
  });

  it('Requests with warnings are found by the kind of the warning, with their orders', async () => {
    const [row] = await list('warning=misspelled_field');
    expect(row).toMatchObject({
      request_id: 'warned',
      status: 202,
      code: null,
      warnings: ['misspelled_field'],
    });
    expect(await idsOf('warning=any')).toContain('warned');
    expect(await idsOf('warning=linked_before')).toEqual([]);
    expect(await idsOf('result=success')).toEqual(expect.arrayContaining(['warned', 'plain']));
    expect((await show(row)).order_ids).toEqual(['A-1']);
  });

  it('The filters select by code, route, key, status and time, and several requests can have one id', async () => {
    const [boot] = await list('request_id=boot');
    expect(await idsOf('request_id=twice')).toEqual(['twice', 'twice']);
    const link = encodeURIComponent('POST /api/open/members/link');
    expect(await idsOf(`code=invalid_request&route=${link}`)).toEqual(['link-texts', 'link']);
    expect(await idsOf('code=not_found')).toEqual(['read']);
    expect(await idsOf('result=404')).toEqual(['read']);
    expect(new Set(await idsOf(`key_id=${boot?.key_id}`))).toEqual(new Set(['boot']));
    const [, first] = await list('request_id=twice');
    const before = await idsOf(`until=${first?.at}`);
    const after = await idsOf(`from=${first?.at}&result=refused`);
    expect([before.includes('shop-7'), before.includes('twice')]).toEqual([true, false]);
    expect([after.includes('shop-7'), after.includes('twice')]).toEqual([false, true]);
    // A boot that was not refused is not recorded.
    expect(await idsOf('request_id=booted')).toEqual([]);
  });

  it('A request with an unknown key belongs to nobody', async () => {
    expect(await flow.database.request.count({ where: { requestId: 'nobody' } })).toBe(0);
  });

  it('Nothing that a client wrote is stored, but the ids of requests and orders', async () => {
    const where = { merchantId: shop.merchant.id };
    const rows = await flow.database.request.findMany({ where });
    expect(rows.length).toBeGreaterThan(20);
    expect(JSON.stringify([rows, await flow.database.requestCount.findMany({ where })])).not.toContain(
      marker,
    );
    const paths = rows.flatMap(({ errors }) => errors as { path: string }[]).map(({ path }) => path);
    const known = ['', 'orders[0]', 'orders[0].items[0]', 'user_hash', 'user_id', 'amount', 'after'];
    expect(paths).toEqual(expect.arrayContaining(known));
  });
});
