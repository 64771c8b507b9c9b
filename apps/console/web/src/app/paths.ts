import { useLocation } from 'wouter';

const one = (list: string) => (id: string) => `/${list}/${encodeURIComponent(id)}`;

/** Where the page of one thing is. */
export const pathOf = {
  order: one('orders'),
  member: one('members'),
  referral: one('referrals'),
  webhook: one('webhooks'),
  delivery: one('deliveries'),
};

/** The id in a path such as `/orders/a%2Fb`. The router would leave some characters of it encoded. */
export function usePathId(): string {
  useLocation();
  const segment = window.location.pathname.split('/')[2] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
