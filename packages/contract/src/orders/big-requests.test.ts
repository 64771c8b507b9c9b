import { validItem, validOrder } from '../../testing/valid-order.ts';
import { ordersOf, problemsOf, validate } from '../../testing/validation.ts';
import { MAX_NAMED_FIELDS } from '../fields/request-errors.ts';

function many<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

describe('big requests', () => {
  it('A request of one order with 1,000 items is accepted', async () => {
    const items = many(1_000, () => validItem());
    const validation = await validate({ orders: [validOrder({ items })] });
    expect(JSON.stringify(ordersOf(validation))).toBe(JSON.stringify([validOrder({ items })]));
  });

  it('The validation of 1,000 invalid items stops at 1,000 invalid fields, and says that there are more', async () => {
    const items = many(1_000, () => validItem({ quantity: 0, price: '1' }));
    const params = await problemsOf({ orders: [validOrder({ items })] });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
    expect(params['orders[0].items[499].price']).toBe('must be an integer');
    expect(params['orders[0].items[500].quantity']).toBeUndefined();
    expect(params.body).toBe('has more invalid fields than the 1000 listed here');
  });

  it('The validation of 1,000 invalid orders stops at 1,000 invalid fields', async () => {
    const params = await problemsOf({ orders: many(1_000, () => ({})) });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
  });

  it('A request with exactly 1,000 invalid fields does not report more errors', async () => {
    const params = await problemsOf({
      orders: many(500, () => validOrder({ paid_amount: -1, member_id: '' })),
    });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS);
    expect(params.body).toBeUndefined();
  });

  it('A request with an unknown field of a million values is accepted', async () => {
    const order = validOrder({ extra: many(1_000_000, () => 0) });
    expect(await validate({ orders: [order] })).toMatchObject({ kind: 'valid', accepted: 1 });
  });

  it('The event loop has turns while a big request is validated', async () => {
    const orders = many(10, (index) =>
      validOrder({ order_id: `${index}`, items: many(1_000, () => validItem()) }),
    );
    let iterations = 0;
    let done = false;
    const count = () => {
      iterations += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await validate({ orders });
    done = true;
    // A turn after every 5 ms of work, and 10,000 products are at least 30 ms of it on any machine.
    expect(iterations).toBeGreaterThan(5);
  });
});
