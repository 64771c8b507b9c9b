import { buildInput } from '../testing/build-input.ts';
import { hasEarned, referredRevenue } from './referred-revenue.ts';
import { simulatedReward } from './simulate.ts';

const { order, referral, program } = buildInput();
const dayBeforeLink = { ...order, orderDate: '2026-11-19T00:00:00.000000Z' };

describe('The revenue of a referral', () => {
  it('is what is paid now without shipping', () => {
    const items = { count: 2, cancelled: 1, paidForRest: 10_000 };
    expect(referredRevenue(order, referral, false)).toBe(24_000);
    expect(referredRevenue({ ...order, items }, referral, false)).toBe(10_000);
    expect(referredRevenue({ ...order, paidAmount: 1_000 }, referral, false)).toBe(0);
  });

  it('counts neither an order that is not paid or not in won, nor one of a referral that is rejected or of a known member', () => {
    for (const change of [
      { paidAt: null },
      { countsAsPaidAt: '2027-01-01T00:00:00.000000Z' },
      { cancelledAt: order.paidAt },
      { returnedAt: order.paidAt },
      { currency: 'USD' },
    ])
      expect(referredRevenue({ ...order, ...change }, referral, true)).toBeNull();
    expect(referredRevenue(order, null, true)).toBeNull();
    expect(referredRevenue(order, { ...referral, review: 'rejected' }, true)).toBeNull();
    expect(referredRevenue(order, { ...referral, olderOrder: 'old' }, true)).toBeNull();
    expect(referredRevenue(order, { ...referral, review: 'pending' }, false)).toBe(24_000);
  });

  it('counts an order from before the link only with a live reward of a rule', () => {
    expect(referredRevenue(dayBeforeLink, referral, false)).toBeNull();
    expect(referredRevenue(dayBeforeLink, referral, true)).toBe(24_000);
    const shortlyBefore = { ...order, orderDate: '2026-11-20T00:00:00.000000Z' };
    expect(referredRevenue(shortlyBefore, referral, false)).toBe(24_000);
    expect(referredRevenue(shortlyBefore, { ...referral, fromOrderId: 'later' }, false)).toBeNull();
    const reward = { ...simulatedReward(referral, 'o', program), state: 'confirmed' as const };
    expect(hasEarned(order, [reward])).toBe(true);
    expect(hasEarned(order, [{ ...reward, state: 'revoked' }])).toBe(false);
    expect(hasEarned(order, [{ ...reward, subject: 'manual:1' }])).toBe(false);
    expect(hasEarned(order, [{ ...reward, orderId: 'other' }])).toBe(false);
  });
});
