import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { buildInput } from '../testing/build-input.ts';
import { compareAge, compareIds } from './order-age.ts';
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

  it('finds the earliest paid orders when no order has the reward', () => {
    const cancelled = { ...october, cancelledAt: '2026-10-02T00:00:00.000000Z' };
    expect(find([cancelled], ['november', 'other'], []).orderIds).toEqual(['november', 'other']);
  });

  it('finds the earliest paid orders and the rewarded one, unless that is the first of the earliest', () => {
    const cancelled = { ...october, cancelledAt: '2026-10-02T00:00:00.000000Z' };
    expect(find([cancelled], ['november', 'other'], ['marked']).orderIds).toEqual([
      'marked',
      'november',
      'other',
    ]);
    expect(find([cancelled], ['november', 'other'], ['other']).orderIds).toEqual(['other', 'november']);
    expect(find([cancelled], ['november', 'other'], ['november']).orderIds).toEqual([]);
  });

  it('finds the same orders of a member whose order has moved to another member', () => {
    expect(find([], ['november'], ['marked']).orderIds).toEqual(['marked', 'november']);
  });

  it('finds no order of a member without a referrer, and none that is in the batch already', () => {
    expect(find([october], ['october'], ['november'], false).orderIds).toEqual([]);
    expect(find([october, november], ['october'], ['november']).orderIds).toEqual([]);
  });

  it('leaves out an order that has moved to another member', () => {
    const related = find([october], ['october'], ['november']);
    expect(related.includes({ ...november, memberId: 'someone-else' })).toBe(false);
  });
});

describe('Orders are compared', () => {
  it('by ids in the order of their bytes in UTF-8, which is not that of code units', () => {
    const [wide, face] = ['\u{ff0f}', '\u{1f600}'] as [string, string];
    expect([compareIds(wide, face) < 0, wide < face]).toEqual([true, false]);
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '가', '\u{ff0f}', '\u{1f600}', '\u{1f601}') });
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), text, (one, other) => {
        expect(Math.sign(compareIds(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
      }),
      { numRuns: propertyCases(2_000) },
    );
  });

  it('by date first, also of a year of five digits', () => {
    const a = { orderId: 'a', orderDate: '10000-01-01T08:59:59.500000Z' };
    const b = { orderId: 'b', orderDate: '2026-01-01T00:00:00.000000Z' };
    expect([compareAge(a, b), compareAge(b, a), compareAge(a, a)]).toEqual([1, -1, 0]);
  });
});
