import fc from 'fast-check';
import { chargeBucket, chargeOf, describeBucket } from './token-bucket.ts';

const rates = fc.record({
  perSecond: fc.integer({ min: 1, max: 10_000 }),
  burst: fc.integer({ min: 1, max: 10_000 }),
});
const steps = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 3_000 }), cost: fc.integer({ min: 1, max: 5_000 }) }),
  { minLength: 1, maxLength: 40 },
);

describe('a token bucket', () => {
  it('In no time span more passes than its burst and what the rate allows, and the part of one cost above the burst', () => {
    fc.assert(
      fc.property(rates, steps, (rate, charges) => {
        const limit = { name: 'tried', ...rate };
        let now = 0;
        let chargedUpTo = 0;
        const passed: { at: number; cost: number }[] = [];
        for (const { afterMs, cost } of charges) {
          now += afterMs * 1_000;
          const [allowed, ahead] = chargeBucket(Math.max(0, chargedUpTo - now), chargeOf(limit, cost));
          if (allowed) passed.push({ at: now, cost });
          chargedUpTo = now + ahead;
        }
        passed.forEach(({ at: from }, first) => {
          let sum = 0;
          for (const { at, cost } of passed.slice(first)) {
            sum += cost;
            const allowance = limit.burst + ((at - from) * limit.perSecond) / 1_000_000;
            const debt = Math.max(0, cost - limit.burst);
            expect(sum).toBeLessThanOrEqual(allowance + debt + 0.01);
          }
        });
      }),
    );
  });

  it('A refused charge passes after the time that the refusal names, and not a millisecond before', () => {
    fc.assert(
      fc.property(rates, steps, (rate, charges) => {
        const limit = { name: 'tried', ...rate };
        let ahead = 0;
        for (const { cost } of charges) {
          const charge = chargeOf(limit, cost);
          const [allowed, after] = chargeBucket(ahead, charge);
          const state = describeBucket(limit, charge, allowed, after);
          if (!allowed) {
            const left = (ms: number) => Math.max(0, ahead - (state.retryAfterMs + ms) * 1_000);
            expect(chargeBucket(left(0), charge)[0]).toBe(true);
            expect(chargeBucket(left(-1), charge)[0]).toBe(false);
          }
          ahead = after;
        }
      }),
    );
  });

  it('What remains can be charged at once, and one more cannot', () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 0, max: 10_000 }), (rate, used) => {
        const limit = { name: 'tried', ...rate };
        const [, ahead] = chargeBucket(0, chargeOf(limit, Math.min(used, limit.burst)));
        const { remaining } = describeBucket(limit, chargeOf(limit, 1), true, ahead);
        expect(remaining).toBe(limit.burst - Math.min(used, limit.burst));
        if (remaining > 0) expect(chargeBucket(ahead, chargeOf(limit, remaining))[0]).toBe(true);
        if (remaining < limit.burst)
          expect(chargeBucket(ahead, chargeOf(limit, remaining + 1))[0]).toBe(false);
      }),
    );
  });
});
