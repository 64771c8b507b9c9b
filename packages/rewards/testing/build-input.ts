import { parseTerms } from '../src/index.ts';
import type { EvaluationInput, FlatTerms } from '../src/index.ts';

/**
 * Builds the input of an evaluation: a paid order of `bob`, whom `ann` referred the day before, without any reward so
 * far. `terms` are in the flat form, `changes` replaces parts of the input.
 */
export function buildInput(
  terms: FlatTerms = {},
  changes: Partial<EvaluationInput> = {},
): EvaluationInput & { referral: NonNullable<EvaluationInput['referral']> } {
  const input = {
    now: '2026-11-21T02:00:00.000000Z',
    order: {
      orderId: 'o',
      version: 1,
      memberId: 'bob',
      orderAmount: 30_000,
      paidAmount: 27_000,
      shippingAmount: 3_000,
      orderDate: '2026-11-21T01:00:00.000000Z',
      firstOrder: false,
      paidAt: '2026-11-21T01:00:00.000000Z',
      countsAsPaidAt: null,
      cancelledAt: null,
      returnedAt: null,
      currency: null,
      items: { count: 0, cancelled: 0, paidForRest: 0 },
      labels: [],
      products: null,
      month: '2026-11',
    },
    referral: {
      id: 'ref',
      code: 'CODE',
      referrerMemberId: 'ann',
      refereeMemberId: 'bob',
      source: 'link' as const,
      linkedAt: '2026-11-20T01:00:00.000000Z',
      review: 'none' as const,
      moves: 0,
      fromOrderId: null,
      olderOrder: null,
      ended: null,
      mergedIds: [],
    },
    program: { id: 'p', version: 1, terms: parseTerms(terms) },
    earlierPaidOrder: null,
    earlierFirstOrder: null,
    holder: 'earlier' as const,
    rewards: [],
    usage: { referrerTotal: 0, referrerMonth: 0, spent: 0 },
  };
  return Object.assign(input, changes) as ReturnType<typeof buildInput>;
}
