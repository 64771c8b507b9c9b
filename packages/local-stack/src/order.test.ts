import { validateSyncRequest } from '@rewardhook/contract';
import { buildOrder } from './order.ts';

describe('buildOrder', () => {
  it('builds valid orders with unique ids', async () => {
    const orders = [buildOrder(), buildOrder({ paid_at: null, items: [] })];
    expect(orders[0]?.order_id).not.toBe(orders[1]?.order_id);
    const validation = await validateSyncRequest({ orders }, { maxOrders: 10, timeZone: 'Asia/Seoul' });
    expect(validation).toEqual({ kind: 'valid', orders, count: 2 });
  });
});
