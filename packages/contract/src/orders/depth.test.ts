import { nested, validItem, validOrder } from '../../testing/valid-order.ts';
import { limits } from '../../testing/validation.ts';
import { validateSyncRequest } from './validate-sync-request.ts';

function problemsOf(body: unknown): Record<string, string> {
  const validation = validateSyncRequest(body, limits);
  return validation.kind === 'valid' ? {} : validation.params;
}

describe('the depth of a request', () => {
  const tooDeep = 'must not be nested deeper than 32 levels';

  it('Unknown fields may have 32 levels', () => {
    const orders = [validOrder({ extra: nested(29), items: [validItem({ extra: nested(27) })] })];
    expect(problemsOf({ orders, extra: nested(31) })).toEqual({});
  });

  it.each([
    ['beside the orders', { orders: [validOrder()], extra: nested(32) }, 'body'],
    ['in an order', { orders: [validOrder(), validOrder({ extra: nested(30) })] }, 'orders[1]'],
    ['in an item', { orders: [validOrder({ items: [validItem({ extra: nested(28) })] })] }, 'orders[0]'],
    ['50,000 levels in an order', { orders: [validOrder({ extra: nested(50_000) })] }, 'orders[0]'],
    ['50,000 levels beside the orders', { orders: [validOrder()], extra: nested(50_000) }, 'body'],
    ['50,000 levels in place of an order', { orders: [nested(50_000)] }, 'orders[0]'],
    ['under __proto__', JSON.parse(`{"__proto__":${JSON.stringify(nested(40))},"orders":[{}]}`), 'body'],
  ])('More than 32 levels are refused: %s', (_, body, path) => {
    expect(problemsOf(body)).toMatchObject({ [path]: tooDeep });
  });

  it('The other invalid fields of an order that is too deep are named', () => {
    const orders = [
      validOrder({ order_id: nested(50_000), paid_amount: -1, items: [validItem({ price: -1 })] }),
    ];
    expect(problemsOf({ orders })).toEqual({
      'orders[0]': tooDeep,
      'orders[0].order_id': 'must be a string',
      'orders[0].paid_amount': 'must be 0 or more',
      'orders[0].items[0].price': 'must be 0 or more',
    });
  });
});
