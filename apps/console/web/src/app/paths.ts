import { useLocation } from 'wouter';
import { withoutBase } from './mode.ts';

const detailPath = (list: string) => (id: string) => `/${list}/${encodeURIComponent(id)}`;

/** The path of the page of one resource. */
export const pathOf = {
  order: detailPath('orders'),
  member: detailPath('members'),
  referral: detailPath('referrals'),
  webhook: detailPath('webhooks'),
  delivery: detailPath('deliveries'),
  request: detailPath('requests'),
};

/** The id in a path such as `/orders/a%2Fb`. The router's own parameter leaves some characters encoded. */
export function usePathId(): string {
  useLocation();
  const segment = withoutBase(window.location.pathname).split('/')[2] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
