/** One condition of a counterfactual sentence, and what it names. */
export interface Condition {
  key:
    | 'linked'
    | 'review'
    | 'paid'
    | 'not_cancelled'
    | 'not_returned'
    | 'minimum'
    | 'window'
    | 'first_order'
    | 'not_yet_rewarded'
    | 'total_cap'
    | 'month_cap'
    | 'budget';
  value: string;
}

/** The sentences of packages/rewards/src/counterfactual.ts. */
const forms: [RegExp, Condition['key']][] = [
  [/^the member were linked to a referrer$/, 'linked'],
  [/^the referral had not been rejected$/, 'review'],
  [/^it were paid$/, 'paid'],
  [/^it were not cancelled$/, 'not_cancelled'],
  [/^it were not returned$/, 'not_returned'],
  [/^paid_amount were (.+) or more$/, 'minimum'],
  [/^it had been placed within (.+) days after the link$/, 'window'],
  [/^it were the member's first paid order \(order (.+) is earlier\)$/, 'first_order'],
  [/^order (.+) had not been rewarded for this referral already$/, 'not_yet_rewarded'],
  [/^the referrer had fewer than (.+) rewards$/, 'total_cap'],
  [/^the referrer had fewer than (.+) rewards in that month$/, 'month_cap'],
  [/^the budget of the program were not used up$/, 'budget'],
];

/** Takes the English sentence apart, to put it into another language; null when it has another form. */
export function counterfactualParts(sentence: string) {
  const [, earned, conditions] = /^It would earn (.+?) if (.+)\.$/.exec(sentence) ?? [];
  if (!earned || !conditions) return null;
  const known = conditions.split(/ and (?=the |it |paid_amount |order )/).map((condition) => {
    for (const [form, key] of forms) {
      const match = form.exec(condition);
      if (match) return { key, value: match[1] ?? '' };
    }
    return null;
  });
  const gains = earned.split(' and ').map((gain) => /^([\d,]+) (.+) for the (referee|referrer)$/.exec(gain));
  if (known.includes(null) || gains.includes(null)) return null;
  return {
    conditions: known as Condition[],
    gains: gains.map((gain) => ({
      amount: Number(gain?.[1]?.replaceAll(',', '')),
      unit: gain?.[2] ?? '',
      role: gain?.[3] as 'referee' | 'referrer',
    })),
  };
}
