import { lazy } from 'react';

/** Each page is a chunk of its own, loaded when one goes there. */
export const SignIn = lazy(() =>
  import('../pages/sign-in/sign-in.tsx').then(({ SignIn: page }) => ({ default: page })),
);
export const SignUp = lazy(() =>
  import('../pages/sign-up/sign-up.tsx').then(({ SignUp: page }) => ({ default: page })),
);
export const Invitation = lazy(() =>
  import('../pages/invitation/invitation.tsx').then(({ Invitation: page }) => ({ default: page })),
);

/** The pages behind the sign-in. */
export const privatePages = [
  { path: '/', page: lazy(() => import('../pages/home/home.tsx').then((m) => ({ default: m.Home }))) },
  {
    path: '/orders',
    page: lazy(() => import('../pages/orders/orders.tsx').then((m) => ({ default: m.Orders }))),
  },
  {
    path: '/orders/:id',
    page: lazy(() => import('../pages/orders/order.tsx').then((m) => ({ default: m.Order }))),
  },
  {
    path: '/rewards',
    page: lazy(() => import('../pages/rewards/rewards.tsx').then((m) => ({ default: m.Rewards }))),
  },
  {
    path: '/members',
    page: lazy(() => import('../pages/members/members.tsx').then((m) => ({ default: m.Members }))),
  },
  {
    path: '/members/:id',
    page: lazy(() => import('../pages/members/member.tsx').then((m) => ({ default: m.Member }))),
  },
  {
    path: '/referrals',
    page: lazy(() => import('../pages/referrals/referrals.tsx').then((m) => ({ default: m.Referrals }))),
  },
  {
    path: '/webhooks',
    page: lazy(() => import('../pages/webhooks/webhooks.tsx').then((m) => ({ default: m.Webhooks }))),
  },
  {
    path: '/webhooks/:id',
    page: lazy(() => import('../pages/webhooks/webhook.tsx').then((m) => ({ default: m.Webhook }))),
  },
  {
    path: '/deliveries',
    page: lazy(() => import('../pages/deliveries/deliveries.tsx').then((m) => ({ default: m.Deliveries }))),
  },
  {
    path: '/deliveries/:id',
    page: lazy(() => import('../pages/deliveries/delivery.tsx').then((m) => ({ default: m.Delivery }))),
  },
  {
    path: '/signature-checker',
    page: lazy(() =>
      import('../pages/signature-checker/signature-checker.tsx').then((m) => ({
        default: m.SignatureChecker,
      })),
    ),
  },
  {
    path: '/program',
    page: lazy(() => import('../pages/program/program.tsx').then((m) => ({ default: m.Program }))),
  },
  {
    path: '/credentials',
    page: lazy(() =>
      import('../pages/credentials/credentials.tsx').then((m) => ({ default: m.Credentials })),
    ),
  },
  { path: '/team', page: lazy(() => import('../pages/team/team.tsx').then((m) => ({ default: m.Team }))) },
  {
    path: '/settings',
    page: lazy(() => import('../pages/settings/settings.tsx').then((m) => ({ default: m.Settings }))),
  },
] as const;
