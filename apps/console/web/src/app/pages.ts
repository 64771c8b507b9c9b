import { parse } from 'regexparam';
import { lazyPage } from './lazy-page.tsx';

const documentPage = lazyPage(() => import('../pages/docs/document-page.tsx').then((m) => m.DocumentPage));

/** The pages that need no sign-in. */
export const publicPages = [
  { path: '/sign-in', page: lazyPage(() => import('../pages/sign-in/sign-in.tsx').then((m) => m.SignIn)) },
  { path: '/sign-up', page: lazyPage(() => import('../pages/sign-up/sign-up.tsx').then((m) => m.SignUp)) },
  {
    path: '/sign-ups/:token',
    page: lazyPage(() => import('../pages/sign-up/new-account.tsx').then((m) => m.NewAccount)),
  },
  {
    path: '/first-keys',
    page: lazyPage(() => import('../pages/sign-up/first-keys.tsx').then((m) => m.FirstKeys)),
  },
  {
    path: '/new-shop',
    page: lazyPage(() => import('../pages/sign-up/new-shop.tsx').then((m) => m.NewShop)),
  },
  {
    path: '/forgot-password',
    page: lazyPage(() => import('../pages/password-reset/forgot-password.tsx').then((m) => m.ForgotPassword)),
  },
  {
    path: '/contact-confirmations/:token',
    page: lazyPage(() =>
      import('../pages/contact-confirmation/contact-confirmation.tsx').then((m) => m.ContactConfirmation),
    ),
  },
  {
    path: '/invitations/:token',
    page: lazyPage(() => import('../pages/invitation/invitation.tsx').then((m) => m.Invitation)),
  },
  {
    path: '/password-resets/:token',
    page: lazyPage(() => import('../pages/password-reset/password-reset.tsx').then((m) => m.PasswordReset)),
  },
  { path: '/docs', page: documentPage },
  {
    path: '/docs/api-reference',
    page: lazyPage(() => import('../pages/docs/api-reference.tsx').then((m) => m.ApiReference)),
  },
  { path: '/docs/:slug', page: documentPage },
] as const;

/** The pages that need a sign-in. */
export const privatePages = [
  { path: '/', page: lazyPage(() => import('../pages/home/home.tsx').then((m) => m.Home)) },
  {
    path: '/orders',
    page: lazyPage(() => import('../pages/orders/orders.tsx').then((m) => m.Orders)),
  },
  {
    path: '/orders/:id',
    page: lazyPage(() => import('../pages/orders/order.tsx').then((m) => m.Order)),
  },
  {
    path: '/rewards',
    page: lazyPage(() => import('../pages/rewards/rewards.tsx').then((m) => m.Rewards)),
  },
  {
    path: '/members',
    page: lazyPage(() => import('../pages/members/members.tsx').then((m) => m.Members)),
  },
  {
    path: '/members/:id',
    page: lazyPage(() => import('../pages/members/member.tsx').then((m) => m.Member)),
  },
  {
    path: '/referrals',
    page: lazyPage(() => import('../pages/referrals/referrals.tsx').then((m) => m.Referrals)),
  },
  {
    path: '/referrals/:id',
    page: lazyPage(() => import('../pages/referrals/referral.tsx').then((m) => m.Referral)),
  },
  {
    path: '/webhooks',
    page: lazyPage(() => import('../pages/webhooks/webhooks.tsx').then((m) => m.Webhooks)),
  },
  {
    path: '/webhooks/:id',
    page: lazyPage(() => import('../pages/webhooks/webhook.tsx').then((m) => m.Webhook)),
  },
  {
    path: '/deliveries',
    page: lazyPage(() => import('../pages/deliveries/deliveries.tsx').then((m) => m.Deliveries)),
  },
  {
    path: '/deliveries/:id',
    page: lazyPage(() => import('../pages/deliveries/delivery.tsx').then((m) => m.Delivery)),
  },
  {
    path: '/signature-checker',
    page: lazyPage(() =>
      import('../pages/signature-checker/signature-checker.tsx').then((m) => m.SignatureChecker),
    ),
  },
  {
    path: '/program',
    page: lazyPage(() => import('../pages/program/program.tsx').then((m) => m.Program)),
  },
  {
    path: '/credentials',
    page: lazyPage(() => import('../pages/credentials/credentials.tsx').then((m) => m.Credentials)),
  },
  { path: '/team', page: lazyPage(() => import('../pages/team/team.tsx').then((m) => m.Team)) },
  {
    path: '/activity',
    page: lazyPage(() => import('../pages/activity/activity.tsx').then((m) => m.Activity)),
  },
  {
    path: '/settings',
    page: lazyPage(() => import('../pages/settings/settings.tsx').then((m) => m.Settings)),
  },
] as const;

const matches = (path: string) => (page: { path: string }) => parse(page.path).pattern.test(path);

/** The page of a path. */
export const findPage = (path: string) => [...publicPages, ...privatePages].find(matches(path))?.page;

/** Loads the chunks of all pages. One that fails is loaded again when its page is opened. */
export const loadAllPages = () =>
  Promise.allSettled([...publicPages, ...privatePages].map(({ page }) => page.preload()));
