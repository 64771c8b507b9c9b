import { validItem, validOrder } from '../../testing/valid-order.ts';
import { limits, ordersOf } from '../../testing/validation.ts';
import { MAX_NAMED_FIELDS } from '../fields/request-errors.ts';
import { validateSyncRequest } from './validate-sync-request.ts';

function many<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** The invalid fields that are named for a body. */
function problemsOf(body: unknown): Record<string, string> {
  const validation = validateSyncRequest(body, limits);
  return validation.kind === 'invalid' ? validation.params : {};
}

describe('big requests', () => {
  it('A request of one order with 1,000 items is accepted', () => {
    const items = many(1_000, () => validItem());
    const validation = validateSyncRequest({ orders: [validOrder({ items })] }, limits);
    expect(JSON.stringify(ordersOf(validation))).toBe(JSON.stringify([validOrder({ items })]));
  });

  it('The validation of 1,000 invalid items stops at 1,000 invalid fields, and says that there are more', () => {
    const items = many(1_000, () => validItem({ quantity: 0, price: '1' }));
    const params = problemsOf({ orders: [validOrder({ items })] });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
    expect(params['orders[0].items[499].price']).toBe('must be an integer');
    expect(params['orders[0].items[500].quantity']).toBeUndefined();
    expect(params.body).toBe('has more invalid fields than the 1000 listed here');
  });

  it('The validation of 1,000 invalid orders stops at 1,000 invalid fields', () => {
    const params = problemsOf({ orders: many(1_000, () => ({})) });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
  });

  it('A request with exactly 1,000 invalid fields does not report more errors', () => {
    const params = problemsOf({ orders: many(500, () => validOrder({ paid_amount: -1, member_id: '' })) });
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS);
    expect(params.body).toBeUndefined();
  });

  it('A request with an unknown field of a million values is accepted', () => {
    const order = validOrder({ extra: many(1_000_000, () => 0) });
    expect(validateSyncRequest({ orders: [order] }, limits)).toMatchObject({ kind: 'valid', count: 1 });
  });
});
