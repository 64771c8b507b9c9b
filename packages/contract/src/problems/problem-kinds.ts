/** What can be wrong for a merchant, and `finding`, which is what the doctor finds for the operator. */
export const problemKinds = [
  'webhook_failing',
  'webhook_disabled',
  'deliveries_exhausted',
  'no_webhook',
  'revocations_not_subscribed',
  'requests_refused',
  'orders_without_referrer',
  'referrals_to_review',
  'budget_nearly_used',
  'signing_key_expiring',
  'finding',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** The texts of each kind, in one language. */
export type ProblemTexts = Record<
  ProblemKind,
  {
    title: string;
    /** What to do. */
    advice: string;
    /** What its number counts. */
    counts: string;
  }
>;
