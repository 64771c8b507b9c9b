import { hasRight } from '@rewardhook/contract/rights';
import type { Right } from '@rewardhook/contract/rights';
import {
  IconAdjustments,
  IconAlertTriangle,
  IconApi,
  IconBuildingStore,
  IconChartLine,
  IconGift,
  IconHistory,
  IconHome,
  IconKey,
  IconReceipt,
  IconSend,
  IconShare3,
  IconShieldCheck,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';

export interface NavigationItem {
  to: string;
  key:
    | 'home'
    | 'problems'
    | 'orders'
    | 'rewards'
    | 'members'
    | 'referrals'
    | 'webhooks'
    | 'deliveries'
    | 'requests'
    | 'signatureChecker'
    | 'performance'
    | 'program'
    | 'credentials'
    | 'team'
    | 'activity'
    | 'settings';
  icon: typeof IconHome;
  /** Shown to those who have it. */
  right?: Right;
}

/** The pages of the navigation, by room. */
export const navigation: {
  key: 'overview' | 'program' | 'customers' | 'developers' | 'people';
  items: NavigationItem[];
}[] = [
  {
    key: 'overview',
    items: [
      { to: '/', key: 'home', icon: IconHome },
      { to: '/problems', key: 'problems', icon: IconAlertTriangle },
    ],
  },
  {
    key: 'program',
    items: [
      { to: '/performance', key: 'performance', icon: IconChartLine },
      { to: '/program', key: 'program', icon: IconAdjustments },
    ],
  },
  {
    key: 'customers',
    items: [
      { to: '/orders', key: 'orders', icon: IconReceipt },
      { to: '/rewards', key: 'rewards', icon: IconGift },
      { to: '/members', key: 'members', icon: IconUsers },
      { to: '/referrals', key: 'referrals', icon: IconShare3 },
    ],
  },
  {
    key: 'developers',
    items: [
      { to: '/webhooks', key: 'webhooks', icon: IconWebhook },
      { to: '/deliveries', key: 'deliveries', icon: IconSend },
      { to: '/requests', key: 'requests', icon: IconApi },
      { to: '/credentials', key: 'credentials', icon: IconKey },
      { to: '/signature-checker', key: 'signatureChecker', icon: IconShieldCheck },
    ],
  },
  {
    key: 'people',
    items: [
      { to: '/team', key: 'team', icon: IconUsersGroup, right: 'manage' },
      { to: '/activity', key: 'activity', icon: IconHistory, right: 'activity' },
      { to: '/settings', key: 'settings', icon: IconBuildingStore },
    ],
  },
];

/** Whether a role sees an item. */
export const shows = (role: string, { right }: NavigationItem): boolean =>
  right === undefined || hasRight(role, right);
