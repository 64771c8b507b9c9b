import { validateSyncRequest } from '@rewardhook/contract';
import { buildOrder } from './order.ts';

describe('buildOrder', () => {
  it('builds valid orders with unique ids', () => {
    const orders = [buildOrder(), buildOrder({ paid_at: null, items: [] })];
    expect(orders[0]?.order_id).not.toBe(orders[1]?.order_id);
    const limits = { maxOrders: 10, maxOrdersPerPart: 10, timeZone: 'Asia/Seoul' };
    const parts = [expect.objectContaining({ orders: 2 })];
    expect(validateSyncRequest({ orders }, limits)).toEqual({ kind: 'valid', parts, count: 2 });
  });
});
