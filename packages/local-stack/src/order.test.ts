import { validateSyncRequest } from '@rewardhook/contract';
import { ordersOf } from '../../contract/testing/validation.ts';
import { buildOrder } from './order.ts';

describe('buildOrder', () => {
  it('builds valid orders with unique ids', () => {
    const orders = [buildOrder(), buildOrder({ paid_at: null, items: [] })];
    expect(orders[0]?.order_id).not.toBe(orders[1]?.order_id);
    const limits = { maxOrdersPerPart: 10, timeZone: 'Asia/Seoul' };
    const validation = validateSyncRequest({ orders }, limits);
    expect(validation).toEqual({ kind: 'valid', parts: [expect.anything()], count: 2 });
    expect(ordersOf(validation)).toEqual(orders);
  });
});
