import type { ProblemView } from '../../../data/types.ts';
import { pathOf } from '../../../app/paths.ts';

type LinkText = 'webhook' | 'register' | 'requests' | 'orders' | 'review' | 'program' | 'credentials';

/** The page on which a problem is looked into or fixed. */
export interface ProblemLink {
  text: LinkText;
  to: string;
}

/** To a part of the page of a webhook; its health by default. */
const toWebhook =
  (part?: 'attempts' | 'settings') =>
  (subject: string | null): ProblemLink => ({
    text: 'webhook',
    to: subject === null ? '/webhooks' : `${pathOf.webhook(subject)}${part ? `?part=${part}` : ''}`,
  });

const links: Record<ProblemView['kind'], (subject: string | null) => ProblemLink | null> = {
  webhook_failing: toWebhook(),
  webhook_disabled: toWebhook(),
  deliveries_exhausted: toWebhook('attempts'),
  revocations_not_subscribed: toWebhook('settings'),
  no_webhook: () => ({ text: 'register', to: '/webhooks?new=1' }),
  requests_refused: (code) => ({
    text: 'requests',
    to: code === null ? '/requests' : `/requests?code=${encodeURIComponent(code)}`,
  }),
  orders_without_referrer: () => ({ text: 'orders', to: '/orders?decision=no_referrer' }),
  referrals_to_review: () => ({ text: 'review', to: '/referrals?review=pending' }),
  budget_nearly_used: () => ({ text: 'program', to: '/program' }),
  signing_key_expiring: () => ({ text: 'credentials', to: '/credentials' }),
  // Of the operator only.
  finding: () => null,
};

/** What a problem leads to; null for one that the merchant does not see. */
export const problemLink = ({ kind, subject }: ProblemView): ProblemLink | null => links[kind](subject);
