import type { Decision } from './evaluate-order.ts';
import type { EvaluationInput } from './evaluation-input.ts';

type Evaluated = Pick<EvaluationInput, 'order' | 'referral'>;

/** The orders of one run of evaluations, oldest first, that lack only the reward that another order of their referral has. */
export interface Contenders {
  /** The id of the oldest one that was added for the referral of this order: the order's `earlierFirstOrder`. */
  before(order: Pick<EvaluationInput, 'referral'>): string | null;
  add(order: Evaluated, decision: Pick<Decision, 'contends'>): void;
}

/**
 * Opens the contenders of a run. Each order asks for the one before it and is added after its evaluation, so an order that has the
 * reward learns of an older one only.
 */
export function openContenders(): Contenders {
  const byReferral = new Map<string, string>();
  return {
    before: ({ referral }) => (referral && byReferral.get(referral.id)) ?? null,
    add({ order, referral }, { contends }) {
      if (contends && referral && !byReferral.has(referral.id)) byReferral.set(referral.id, order.orderId);
    },
  };
}
