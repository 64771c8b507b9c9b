import { validateOrders } from '@rewardhook/contract';
import { ordersOf } from '../../contract/testing/validation.ts';
import { buildOrder } from './order.ts';

describe('buildOrder', () => {
  it('builds valid orders with unique ids', async () => {
    const orders = [buildOrder(), buildOrder({ paid_at: null, items: [] })];
    expect(orders[0]?.order_id).not.toBe(orders[1]?.order_id);
    const validation = await validateOrders({ orders }, { timeZone: 'Asia/Seoul' });
    expect(validation).toEqual({ kind: 'valid', orders: expect.anything(), accepted: 2 });
    expect(ordersOf(validation)).toEqual(orders);
  });
});
