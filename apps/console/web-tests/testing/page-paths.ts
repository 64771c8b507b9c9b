import type { FilledMerchant } from './fill-merchant.ts';

/** Every page behind the sign-in that needs no id, by its name. */
export const listPaths: Record<string, string> = {
  home: '/',
  orders: '/orders',
  rewards: '/rewards',
  members: '/members',
  referrals: '/referrals',
  webhooks: '/webhooks',
  'new-webhook': '/webhooks?new=1',
  deliveries: '/deliveries',
  'signature-checker': '/signature-checker',
  program: '/program',
  credentials: '/credentials',
  team: '/team',
  settings: '/settings',
  'new-shop': '/new-shop',
  'first-keys': '/first-keys',
};

/** The pages of single things. */
export const detailPaths = (shop: FilledMerchant): Record<string, string> => ({
  order: `/orders/${shop.orderId}`,
  member: `/members/${shop.memberId}`,
  referral: `/referrals/${shop.referralId}`,
  webhook: `/webhooks/${shop.webhookId}`,
  delivery: `/deliveries/${shop.deliveryId}`,
});

/** The pages in front of the sign-in. */
export const authPaths: Record<string, string> = {
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  'invitation-gone': '/invitations/nobody',
  'password-reset-gone': '/password-resets/nobody',
  'forgot-password': '/forgot-password',
  'sign-up-gone': '/sign-ups/nobody',
  'contact-gone': '/contact-confirmations/nobody',
};
