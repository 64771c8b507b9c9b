import { buildInput } from '../testing/build-input.ts';
import { findRelatedOrders } from './related-orders.ts';

const { order, referral } = buildInput();
const october = { ...order, orderId: 'october', orderDate: '2026-10-01T00:00:00.000000Z' };
const november = { ...order, orderId: 'november' };

function find(changed: (typeof order)[], earliestPaid: string[], rewarded: string[], linked = true) {
  return findRelatedOrders({
    orders: changed,
    referrals: new Map(linked ? [[referral.refereeMemberId, referral]] : []),
    earliestPaidOrders: () => earliestPaid,
    rewardedOrders: () => rewarded,
  });
}

describe('findRelatedOrders', () => {
  it('finds the rewarded order when a paid order with an earlier date arrives', () => {
    const related = find([october], ['october'], ['november']);
    expect(related.orderIds).toEqual(['november']);
    expect(related.includes(november)).toBe(true);
  });

  it('finds the earliest paid order when no order has the reward', () => {
    const cancelled = { ...october, cancelledAt: '2026-10-02T00:00:00.000000Z' };
    expect(find([cancelled], ['november'], []).orderIds).toEqual(['november']);
  });

  it('finds no order of a member without a referrer, and none that is in the batch already', () => {
    expect(find([october], ['october'], ['november'], false).orderIds).toEqual([]);
    expect(find([october, november], ['october'], ['november']).orderIds).toEqual([]);
  });

  it('leaves out an order that has moved to another member or to an earlier date', () => {
    const related = find([october], ['october'], ['november']);
    expect(related.includes({ ...november, memberId: 'someone-else' })).toBe(false);
    expect(related.includes({ ...november, orderDate: '2026-09-01T00:00:00.000000Z' })).toBe(false);
  });
});
