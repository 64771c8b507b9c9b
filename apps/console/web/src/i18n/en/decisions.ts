import { checks, reasons } from '@rewardhook/rewards';

/** One text of each entry of a catalogue, by the entry's code. */
function textsOf<C extends string, F extends string>(catalogue: Record<C, Record<F, unknown>>, field: F) {
  const entries = Object.entries<Record<F, unknown>>(catalogue);
  return Object.fromEntries(entries.map(([code, texts]) => [code, String(texts[field])])) as Record<
    C,
    string
  >;
}

/**
 * Reward decisions: reasons, checks, and what would have to differ for a reward. The English texts are those of the
 * catalogues in packages/rewards; a code without a Korean text does not compile.
 */
export const decisions = {
  reasons: textsOf(reasons, 'label'),
  reasonSentences: textsOf(reasons, 'sentence'),
  checks: textsOf(checks, 'label'),
  counterfactual: {
    ...textsOf(checks, 'condition'),
    minimum_paid_amount: 'the amount paid were at least {{amount}}',
    paid_without_shipping: 'the amount paid without shipping were at least {{amount}}',
    sentence: 'Today, this order would earn {{gains}} if {{conditions}}.',
    referee: '{{amount}} for the referee',
    referrer: '{{amount}} for the referrer',
  },
};
