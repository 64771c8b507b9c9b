import { documentSlugs } from '../../web/src/rooms/docs/slugs.ts';
import type { FilledMerchant } from './fill-merchant.ts';

/** Every page that needs a sign-in and no id, by name. */
export const listPaths: Record<string, string> = {
  home: '/',
  problems: '/problems',
  orders: '/orders',
  rewards: '/rewards',
  members: '/members',
  referrals: '/referrals',
  webhooks: '/webhooks',
  'new-webhook': '/webhooks?new=1',
  deliveries: '/deliveries',
  requests: '/requests',
  'signature-checker': '/signature-checker',
  performance: '/performance',
  program: '/program',
  credentials: '/credentials',
  team: '/team',
  activity: '/activity',
  settings: '/settings',
  'new-shop': '/new-shop',
  'first-keys': '/first-keys',
  'test-home': '/test',
  'test-problems': '/test/problems',
  'test-orders': '/test/orders',
  'test-program': '/test/program',
  'test-credentials': '/test/credentials',
};

/** The pages of single resources. */
export const detailPaths = (filled: FilledMerchant): Record<string, string> => ({
  order: `/orders/${filled.orderId}`,
  member: `/members/${filled.memberId}`,
  referral: `/referrals/${filled.referralId}`,
  webhook: `/webhooks/${filled.webhookId}`,
  'webhook-attempts': `/webhooks/${filled.webhookId}?part=attempts`,
  'webhook-test': `/webhooks/${filled.webhookId}?part=test`,
  'webhook-settings': `/webhooks/${filled.webhookId}?part=settings`,
  delivery: `/deliveries/${filled.deliveryId}`,
  request: `/requests/${filled.requestId}`,
});

/** The pages that need no sign-in. */
export const authPaths: Record<string, string> = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  'invitation-gone': '/invitations/nobody',
  'password-reset-gone': '/password-resets/nobody',
  'forgot-password': '/forgot-password',
  'sign-up-gone': '/sign-ups/nobody',
  'contact-gone': '/contact-confirmations/nobody',
  ...Object.fromEntries(documentSlugs.map((slug) => [`docs-${slug}`, `/docs/${slug}`])),
};
