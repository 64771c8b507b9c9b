import { parse } from 'regexparam';
import { lazyPage } from './lazy-page.tsx';

const documentPage = lazyPage(() => import('../rooms/docs/document-page.tsx').then((m) => m.DocumentPage));

/** The pages that need no sign-in. */
export const publicPages = [
  { path: '/sign-in', page: lazyPage(() => import('../rooms/account/sign-in.tsx').then((m) => m.SignIn)) },
  { path: '/sign-up', page: lazyPage(() => import('../rooms/account/sign-up.tsx').then((m) => m.SignUp)) },
  {
    path: '/sign-ups/:token',
    page: lazyPage(() => import('../rooms/account/new-account.tsx').then((m) => m.NewAccount)),
  },
  {
    path: '/first-keys',
    page: lazyPage(() => import('../rooms/account/first-keys.tsx').then((m) => m.FirstKeys)),
  },
  {
    path: '/new-shop',
    page: lazyPage(() => import('../rooms/account/new-shop.tsx').then((m) => m.NewShop)),
  },
  {
    path: '/forgot-password',
    page: lazyPage(() => import('../rooms/account/forgot-password.tsx').then((m) => m.ForgotPassword)),
  },
  {
    path: '/contact-confirmations/:token',
    page: lazyPage(() =>
      import('../rooms/account/contact-confirmation.tsx').then((m) => m.ContactConfirmation),
    ),
  },
  {
    path: '/invitations/:token',
    page: lazyPage(() => import('../rooms/account/invitation.tsx').then((m) => m.Invitation)),
  },
  {
    path: '/password-resets/:token',
    page: lazyPage(() => import('../rooms/account/password-reset.tsx').then((m) => m.PasswordReset)),
  },
  { path: '/docs', page: documentPage },
  {
    path: '/docs/api-reference',
    page: lazyPage(() => import('../rooms/docs/api-reference.tsx').then((m) => m.ApiReference)),
  },
  { path: '/docs/:slug', page: documentPage },
] as const;

/** The pages that need a sign-in. */
export const privatePages = [
  { path: '/', page: lazyPage(() => import('../rooms/home/home.tsx').then((m) => m.Home)) },
  {
    path: '/problems',
    page: lazyPage(() => import('../rooms/home/problems/problems.tsx').then((m) => m.Problems)),
  },
  {
    path: '/orders',
    page: lazyPage(() => import('../rooms/customers/orders/orders.tsx').then((m) => m.Orders)),
  },
  {
    path: '/orders/:id',
    page: lazyPage(() => import('../rooms/customers/orders/order.tsx').then((m) => m.Order)),
  },
  {
    path: '/rewards',
    page: lazyPage(() => import('../rooms/customers/rewards/rewards.tsx').then((m) => m.Rewards)),
  },
  {
    path: '/members',
    page: lazyPage(() => import('../rooms/customers/members/members.tsx').then((m) => m.Members)),
  },
  {
    path: '/members/:id',
    page: lazyPage(() => import('../rooms/customers/members/member.tsx').then((m) => m.Member)),
  },
  {
    path: '/referrals',
    page: lazyPage(() => import('../rooms/customers/referrals/referrals.tsx').then((m) => m.Referrals)),
  },
  {
    path: '/referrals/:id',
    page: lazyPage(() => import('../rooms/customers/referrals/referral.tsx').then((m) => m.Referral)),
  },
  {
    path: '/webhooks',
    page: lazyPage(() => import('../rooms/developers/webhooks/webhooks.tsx').then((m) => m.Webhooks)),
  },
  {
    path: '/webhooks/:id',
    page: lazyPage(() => import('../rooms/developers/webhooks/webhook.tsx').then((m) => m.Webhook)),
  },
  {
    path: '/deliveries',
    page: lazyPage(() => import('../rooms/developers/deliveries/deliveries.tsx').then((m) => m.Deliveries)),
  },
  {
    path: '/deliveries/:id',
    page: lazyPage(() => import('../rooms/developers/deliveries/delivery.tsx').then((m) => m.Delivery)),
  },
  {
    path: '/signature-checker',
    page: lazyPage(() =>
      import('../rooms/developers/signature-checker/signature-checker.tsx').then((m) => m.SignatureChecker),
    ),
  },
  {
    path: '/program',
    page: lazyPage(() => import('../rooms/program/program.tsx').then((m) => m.Program)),
  },
  {
    path: '/credentials',
    page: lazyPage(() =>
      import('../rooms/developers/credentials/credentials.tsx').then((m) => m.Credentials),
    ),
  },
  { path: '/team', page: lazyPage(() => import('../rooms/people/team/team.tsx').then((m) => m.Team)) },
  {
    path: '/activity',
    page: lazyPage(() => import('../rooms/people/activity/activity.tsx').then((m) => m.Activity)),
  },
  {
    path: '/settings',
    page: lazyPage(() => import('../rooms/people/settings/settings.tsx').then((m) => m.Settings)),
  },
] as const;

const matches = (path: string) => (page: { path: string }) => parse(page.path).pattern.test(path);

/** The page of a path. */
export const findPage = (path: string) => [...publicPages, ...privatePages].find(matches(path))?.page;

/** Loads the chunks of all pages. One that fails is loaded again when its page is opened. */
export const loadAllPages = () =>
  Promise.allSettled([...publicPages, ...privatePages].map(({ page }) => page.preload()));
