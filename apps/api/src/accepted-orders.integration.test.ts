import fc from 'fast-check';
import { arbitraryOrder } from '../../../packages/contract/testing/arbitrary-order.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { readStoredOrder } from '../../../tests/harness/read-stored-order.ts';
import { syncPath } from '../../../tests/harness/call-api.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';

type Fields = Record<string, unknown>;
const dates = ['order_date', 'paid_at', 'cancelled_at', 'returned_at'];

describe('accepted orders', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
    merchant = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  it('An order that validation accepts is stored unchanged, and a refused one is not stored', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryOrder, { minLength: 25, maxLength: 25 }), async (orders) => {
        const taken: Fields[] = [];
        await Promise.all(
          orders.map(async (sent, index) => {
            // Each order gets a unique id, unless its id is invalid.
            const id = (sent as Fields | null)?.['order_id'];
            const order =
              typeof id === 'string' && id !== '' && id.length < 100
                ? { ...(sent as Fields), order_id: `${accepted}-${index}-${id}` }
                : sent;
            const text = JSON.stringify({ orders: [order] });
            const { status, body } = await flow.call(syncPath, text, { key: merchant.secretKey });
            expect([202, 400]).toContain(status);
            if (status === 202) taken.push(...(JSON.parse(text) as { orders: [Fields] }).orders);
            else expect(Object.keys(body.params ?? {}).length).toBeGreaterThan(0);
          }),
        );
        await flow.queues.settled();
        for (const sent of taken) {
          const row = await readStoredOrder(flow.database, merchant.id, String(sent['order_id']));
          expect(row).toMatchObject(comparable(sent));
          for (const name of dates)
            expect(row?.[name] === null).toBe(sent[name] === undefined || sent[name] === null);
        }
        accepted += taken.length;
      }),
      { numRuns: 12, seed: 42 },
    );
    expect(accepted).toBeGreaterThan(30);
  });

  /** The fields that must be stored exactly as sent. */
  function comparable(sent: Fields): Fields {
    const { order_id, member_id, order_amount, paid_amount, shipping_amount, first_order = false } = sent;
    const items = ((sent['items'] ?? []) as Fields[]).map((item) => {
      const { product_id, product_name, quantity, price, sku = '' } = item;
      return expect.objectContaining({
        product_id,
        product_name,
        quantity,
        price: plain(price),
        paid_amount: plain(item['paid_amount']),
        sku,
      }) as unknown;
    });
    const amounts = Object.fromEntries(
      Object.entries({ order_amount, paid_amount, shipping_amount }).map(([name, value]) => [
        name,
        plain(value),
      ]),
    );
    return { order_id, member_id, first_order, ...amounts, items };
  }
  /** JSON has -0; amounts do not. */
  const plain = (value: unknown) => (Object.is(value, -0) ? 0 : value);
});
