import type { ProblemView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';
import type { DocsTarget } from '../../../ui/docs-link.tsx';

type LinkText = 'webhook' | 'register' | 'errors' | 'orders' | 'review' | 'program' | 'credentials';

/** Where a problem is looked into or fixed: a page of the console, or a document. */
export type ProblemLink =
  { text: LinkText; to: string; docs?: never } | { text: LinkText; docs: DocsTarget; to?: never };

const toWebhook = (subject: string | null): ProblemLink => ({
  text: 'webhook',
  to: subject === null ? '/webhooks' : pathOf.webhook(subject),
});

const links: Record<ProblemView['kind'], (subject: string | null) => ProblemLink | null> = {
  webhook_failing: toWebhook,
  webhook_disabled: toWebhook,
  deliveries_exhausted: toWebhook,
  revocations_not_subscribed: toWebhook,
  no_webhook: () => ({ text: 'register', to: '/webhooks?new=1' }),
  requests_refused: () => ({ text: 'errors', docs: 'errors#error-codes' }),
  orders_without_referrer: () => ({ text: 'orders', to: '/orders?decision=no_referrer' }),
  referrals_to_review: () => ({ text: 'review', to: '/referrals?review=pending' }),
  budget_nearly_used: () => ({ text: 'program', to: '/program' }),
  signing_key_expiring: () => ({ text: 'credentials', to: '/credentials' }),
  // Of the operator only.
  finding: () => null,
};

/** What a problem leads to; null for one that the merchant does not see. */
export const problemLink = ({ kind, subject }: ProblemView): ProblemLink | null => links[kind](subject);
