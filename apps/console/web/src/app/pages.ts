import { parse } from 'regexparam';
import { pageOf } from './page-of.tsx';

/** The pages in front of the sign-in. */
export const publicPages = [
  { path: '/sign-in', page: pageOf(() => import('../pages/sign-in/sign-in.tsx').then((m) => m.SignIn)) },
  { path: '/sign-up', page: pageOf(() => import('../pages/sign-up/sign-up.tsx').then((m) => m.SignUp)) },
  {
    path: '/sign-ups/:token',
    page: pageOf(() => import('../pages/sign-up/new-account.tsx').then((m) => m.NewAccount)),
  },
  {
    path: '/first-keys',
    page: pageOf(() => import('../pages/sign-up/first-keys.tsx').then((m) => m.FirstKeys)),
  },
  {
    path: '/new-shop',
    page: pageOf(() => import('../pages/sign-up/new-shop.tsx').then((m) => m.NewShop)),
  },
  {
    path: '/forgot-password',
    page: pageOf(() => import('../pages/password-reset/forgot-password.tsx').then((m) => m.ForgotPassword)),
  },
  {
    path: '/contact-confirmations/:token',
    page: pageOf(() =>
      import('../pages/contact-confirmation/contact-confirmation.tsx').then((m) => m.ContactConfirmation),
    ),
  },
  {
    path: '/invitations/:token',
    page: pageOf(() => import('../pages/invitation/invitation.tsx').then((m) => m.Invitation)),
  },
  {
    path: '/password-resets/:token',
    page: pageOf(() => import('../pages/password-reset/password-reset.tsx').then((m) => m.PasswordReset)),
  },
] as const;

/** The pages behind the sign-in. */
export const privatePages = [
  { path: '/', page: pageOf(() => import('../pages/home/home.tsx').then((m) => m.Home)) },
  {
    path: '/orders',
    page: pageOf(() => import('../pages/orders/orders.tsx').then((m) => m.Orders)),
  },
  {
    path: '/orders/:id',
    page: pageOf(() => import('../pages/orders/order.tsx').then((m) => m.Order)),
  },
  {
    path: '/rewards',
    page: pageOf(() => import('../pages/rewards/rewards.tsx').then((m) => m.Rewards)),
  },
  {
    path: '/members',
    page: pageOf(() => import('../pages/members/members.tsx').then((m) => m.Members)),
  },
  {
    path: '/members/:id',
    page: pageOf(() => import('../pages/members/member.tsx').then((m) => m.Member)),
  },
  {
    path: '/referrals',
    page: pageOf(() => import('../pages/referrals/referrals.tsx').then((m) => m.Referrals)),
  },
  {
    path: '/referrals/:id',
    page: pageOf(() => import('../pages/referrals/referral.tsx').then((m) => m.Referral)),
  },
  {
    path: '/webhooks',
    page: pageOf(() => import('../pages/webhooks/webhooks.tsx').then((m) => m.Webhooks)),
  },
  {
    path: '/webhooks/:id',
    page: pageOf(() => import('../pages/webhooks/webhook.tsx').then((m) => m.Webhook)),
  },
  {
    path: '/deliveries',
    page: pageOf(() => import('../pages/deliveries/deliveries.tsx').then((m) => m.Deliveries)),
  },
  {
    path: '/deliveries/:id',
    page: pageOf(() => import('../pages/deliveries/delivery.tsx').then((m) => m.Delivery)),
  },
  {
    path: '/signature-checker',
    page: pageOf(() =>
      import('../pages/signature-checker/signature-checker.tsx').then((m) => m.SignatureChecker),
    ),
  },
  {
    path: '/program',
    page: pageOf(() => import('../pages/program/program.tsx').then((m) => m.Program)),
  },
  {
    path: '/credentials',
    page: pageOf(() => import('../pages/credentials/credentials.tsx').then((m) => m.Credentials)),
  },
  { path: '/team', page: pageOf(() => import('../pages/team/team.tsx').then((m) => m.Team)) },
  {
    path: '/settings',
    page: pageOf(() => import('../pages/settings/settings.tsx').then((m) => m.Settings)),
  },
] as const;

const isAt = (path: string) => (one: { path: string }) => parse(one.path).pattern.test(path);

/** The page of a path. */
export const findPage = (path: string) => [...publicPages, ...privatePages].find(isAt(path))?.page;

/** Loads all pages. One that fails is loaded again when it is gone to, and says so then. */
export const loadAllPages = () =>
  Promise.allSettled([...publicPages, ...privatePages].map(({ page }) => page.preload()));
