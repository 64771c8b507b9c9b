import { validItem, validOrder } from '../../testing/valid-order.ts';
import { limits, ordersOf } from '../../testing/validation.ts';
import { MAX_NAMED_FIELDS } from '../fields/request-errors.ts';
import { validateSyncRequest, type SyncRequestValidation } from './validate-sync-request.ts';

/** Validates a body, and counts the iterations of the event loop meanwhile. */
async function validate(body: unknown): Promise<{ validation: SyncRequestValidation; iterations: number }> {
  let iterations = 0;
  let done = false;
  const iterate = (): void => {
    iterations++;
    if (!done) setImmediate(iterate);
  };
  setImmediate(iterate);
  const validation = await validateSyncRequest(body, limits);
  const served = iterations;
  done = true;
  return { validation, iterations: served };
}

function many<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

describe('small requests', () => {
  it.each([
    ['of 1 order', { orders: [validOrder()] }],
    ['of 100 orders', { orders: many(100, (index) => validOrder({ order_id: `${index}` })) }],
    ['with mistakes', { orders: many(10, () => validOrder({ paid_amount: -1, extra: {} })) }],
  ])('A small request %s is validated in one slice', async (_, body) => {
    expect((await validate(body)).iterations).toBe(0);
  });
});

describe('big requests', () => {
  it('A request of 5,000 orders does not block the event loop', async () => {
    const { validation, iterations } = await validate({
      orders: many(5000, (index) => validOrder({ order_id: `${index}` })),
    });
    expect(validation).toMatchObject({ kind: 'valid', count: 5000 });
    expect(iterations).toBeGreaterThan(10);
  });

  it('A request of one order with 100,000 items does not block the event loop', async () => {
    const items = many(100_000, () => validItem());
    const { validation, iterations } = await validate({ orders: [validOrder({ items })] });
    // Compared as text, because Jest takes seconds to compare 100,000 items.
    expect(JSON.stringify(ordersOf(validation))).toBe(JSON.stringify([validOrder({ items })]));
    expect(iterations).toBeGreaterThan(100);
  });

  it('A request of one order with 100,000 invalid items does not block the event loop and names 1,000 invalid fields', async () => {
    const items = many(100_000, () => validItem({ quantity: 0, price: '1' }));
    const { validation, iterations } = await validate({ orders: [validOrder({ items })] });
    const params = validation.kind === 'invalid' ? validation.params : {};
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
    expect(params['orders[0].items[499].price']).toBe('must be an integer');
    expect(params['orders[0].items[500].quantity']).toBeUndefined();
    expect(params.body).toBe('has more invalid fields than the 1000 listed here');
    expect(iterations).toBeGreaterThan(50);
    // All 100,000 items would take 2,500 slices: the validation stopped early.
    expect(iterations).toBeLessThan(1000);
  });

  it('The validation of 5,000 invalid orders stops at 1,000 invalid fields', async () => {
    const { validation } = await validate({ orders: many(5000, () => ({})) });
    const params = validation.kind === 'invalid' ? validation.params : {};
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS + 1);
  });

  it('A request with exactly 1,000 invalid fields does not report more errors', async () => {
    const { validation } = await validate({
      orders: many(500, () => validOrder({ paid_amount: -1, member_id: '' })),
    });
    const params = validation.kind === 'invalid' ? validation.params : {};
    expect(Object.keys(params)).toHaveLength(MAX_NAMED_FIELDS);
    expect(params.body).toBeUndefined();
  });

  it('A request with an unknown field of a million values does not block the event loop', async () => {
    const { validation, iterations } = await validate({
      orders: [validOrder({ extra: many(1_000_000, () => 0) })],
    });
    expect(validation).toMatchObject({ kind: 'valid', count: 1 });
    expect(iterations).toBeGreaterThan(100);
  });

  it('A request of orders from many days without offsets does not block the event loop', async () => {
    const day = (index: number): string => new Date(Date.UTC(1950, 0, index)).toISOString().slice(0, 19);
    const { iterations } = await validate({
      orders: many(500, (index) => validOrder({ paid_at: day(index) })),
    });
    expect(iterations).toBeGreaterThan(20);
  });
});
