import type { ComponentType } from 'react';
import { parse } from 'regexparam';
import { lazyComponent } from './lazy-component.tsx';

const page = (path: string, load: () => Promise<ComponentType>) => ({ path, page: lazyComponent(load) });

/** The pages that need no sign-in. */
export const publicPages = [
  page('/sign-in', () => import('../rooms/account/sign-in.tsx').then((m) => m.SignIn)),
  page('/sign-up', () => import('../rooms/account/sign-up.tsx').then((m) => m.SignUp)),
  page('/sign-ups/:token', () => import('../rooms/account/new-account.tsx').then((m) => m.NewAccount)),
  page('/first-keys', () => import('../rooms/account/first-keys.tsx').then((m) => m.FirstKeys)),
  page('/new-shop', () => import('../rooms/account/new-shop.tsx').then((m) => m.NewShop)),
  page('/forgot-password', () =>
    import('../rooms/account/forgot-password.tsx').then((m) => m.ForgotPassword),
  ),
  page('/contact-confirmations/:token', () =>
    import('../rooms/account/contact-confirmation.tsx').then((m) => m.ContactConfirmation),
  ),
  page('/invitations/:token', () => import('../rooms/account/invitation.tsx').then((m) => m.Invitation)),
  page('/password-resets/:token', () =>
    import('../rooms/account/password-reset.tsx').then((m) => m.PasswordReset),
  ),
  page('/docs/:slug?', () => import('../rooms/docs/document-page.tsx').then((m) => m.DocumentPage)),
];

/** The pages that need a sign-in, by room. */
const rooms = {
  home: [page('/', () => import('../rooms/home/home.tsx').then((m) => m.Home))],
  customers: [
    page('/orders', () => import('../rooms/customers/orders/orders.tsx').then((m) => m.Orders)),
    page('/orders/:id', () => import('../rooms/customers/orders/order.tsx').then((m) => m.Order)),
    page('/rewards', () => import('../rooms/customers/rewards/rewards.tsx').then((m) => m.Rewards)),
    page('/members', () => import('../rooms/customers/members/members.tsx').then((m) => m.Members)),
    page('/members/:id', () => import('../rooms/customers/members/member.tsx').then((m) => m.Member)),
    page('/referrals', () => import('../rooms/customers/referrals/referrals.tsx').then((m) => m.Referrals)),
    page('/referrals/:id', () => import('../rooms/customers/referrals/referral.tsx').then((m) => m.Referral)),
  ],
  developers: [
    page('/webhooks', () => import('../rooms/developers/webhooks/webhooks.tsx').then((m) => m.Webhooks)),
    page('/webhooks/:id', () => import('../rooms/developers/webhooks/webhook.tsx').then((m) => m.Webhook)),
    page('/deliveries', () =>
      import('../rooms/developers/deliveries/deliveries.tsx').then((m) => m.Deliveries),
    ),
    page('/deliveries/:id', () =>
      import('../rooms/developers/deliveries/delivery.tsx').then((m) => m.Delivery),
    ),
    page('/signature-checker', () =>
      import('../rooms/developers/signature-checker/signature-checker.tsx').then((m) => m.SignatureChecker),
    ),
    page('/credentials', () =>
      import('../rooms/developers/credentials/credentials.tsx').then((m) => m.Credentials),
    ),
  ],
  program: [page('/program', () => import('../rooms/program/program.tsx').then((m) => m.Program))],
  people: [
    page('/team', () => import('../rooms/people/team/team.tsx').then((m) => m.Team)),
    page('/activity', () => import('../rooms/people/activity/activity.tsx').then((m) => m.Activity)),
    page('/settings', () => import('../rooms/people/settings/settings.tsx').then((m) => m.Settings)),
  ],
};

export const privatePages = Object.values(rooms).flat();

export const Notifications = lazyComponent(() =>
  import('../shell/notifications.tsx').then((m) => m.Notifications),
);

/** The frame of the pages that need a sign-in. */
export const Shell = lazyComponent(() => import('../shell/shell.tsx').then((m) => m.Shell));

const matches = (path: string) => (one: { path: string }) => parse(one.path).pattern.test(path);

/** Loads the chunks of the page at a path. One that fails is loaded again when its page is opened. */
export async function preloadPage(path: string): Promise<void> {
  const publicPage = publicPages.find(matches(path));
  const chunks = publicPage
    ? [publicPage.page]
    : [Shell, Notifications, ...privatePages.filter(matches(path)).map((one) => one.page)];
  await Promise.allSettled(chunks.map((chunk) => chunk.preload()));
}

/** Loads the chunks of the pages in the room of a path. */
export async function preloadRoom(path: string): Promise<void> {
  const room = Object.values(rooms).find((pages) => pages.some(matches(path)));
  await Promise.allSettled(room?.map((one) => one.page.preload()) ?? []);
}
