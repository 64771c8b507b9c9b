import type { ComponentType } from 'react';
import { parse } from 'regexparam';
import { loadTexts } from './i18n.ts';
import type { Room } from './i18n.ts';
import { lazyComponent } from './lazy-component.tsx';

/** A page with a chunk of its own, which is loaded with the texts of its room. */
const page = (room: Room, path: string, load: () => Promise<ComponentType>) => ({
  path,
  page: lazyComponent(async () => {
    const [content] = await Promise.all([load(), loadTexts(room)]);
    return content;
  }),
});

/** The pages that need no sign-in. */
export const publicPages = [
  page('account', '/sign-in', () => import('../rooms/account/sign-in.tsx').then((m) => m.SignIn)),
  page('account', '/sign-up', () => import('../rooms/account/sign-up.tsx').then((m) => m.SignUp)),
  page('account', '/sign-ups/:token', () =>
    import('../rooms/account/new-account.tsx').then((m) => m.NewAccount),
  ),
  page('account', '/first-keys', () => import('../rooms/account/first-keys.tsx').then((m) => m.FirstKeys)),
  page('account', '/new-shop', () => import('../rooms/account/new-shop.tsx').then((m) => m.NewShop)),
  page('account', '/forgot-password', () =>
    import('../rooms/account/forgot-password.tsx').then((m) => m.ForgotPassword),
  ),
  page('account', '/contact-confirmations/:token', () =>
    import('../rooms/account/contact-confirmation.tsx').then((m) => m.ContactConfirmation),
  ),
  page('account', '/invitations/:token', () =>
    import('../rooms/account/invitation.tsx').then((m) => m.Invitation),
  ),
  page('account', '/password-resets/:token', () =>
    import('../rooms/account/password-reset.tsx').then((m) => m.PasswordReset),
  ),
  page('docs', '/docs/:slug?', () => import('../rooms/docs/document-page.tsx').then((m) => m.DocumentPage)),
];

/** The pages that need a sign-in, by room. */
const rooms = {
  home: [
    page('home', '/', () => import('../rooms/home/home.tsx').then((m) => m.Home)),
    page('home', '/problems', () => import('../rooms/home/problems/problems.tsx').then((m) => m.Problems)),
  ],
  customers: [
    page('customers', '/orders', () => import('../rooms/customers/orders/orders.tsx').then((m) => m.Orders)),
    page('customers', '/orders/:id', () =>
      import('../rooms/customers/orders/order.tsx').then((m) => m.Order),
    ),
    page('customers', '/rewards', () =>
      import('../rooms/customers/rewards/rewards.tsx').then((m) => m.Rewards),
    ),
    page('customers', '/members', () =>
      import('../rooms/customers/members/members.tsx').then((m) => m.Members),
    ),
    page('customers', '/members/:id', () =>
      import('../rooms/customers/members/member.tsx').then((m) => m.Member),
    ),
    page('customers', '/referrals', () =>
      import('../rooms/customers/referrals/referrals.tsx').then((m) => m.Referrals),
    ),
    page('customers', '/referrals/:id', () =>
      import('../rooms/customers/referrals/referral.tsx').then((m) => m.Referral),
    ),
  ],
  developers: [
    page('developers', '/webhooks', () =>
      import('../rooms/developers/webhooks/webhooks.tsx').then((m) => m.Webhooks),
    ),
    page('developers', '/webhooks/:id', () =>
      import('../rooms/developers/webhooks/webhook.tsx').then((m) => m.Webhook),
    ),
    page('developers', '/deliveries', () =>
      import('../rooms/developers/deliveries/deliveries.tsx').then((m) => m.Deliveries),
    ),
    page('developers', '/deliveries/:id', () =>
      import('../rooms/developers/deliveries/delivery.tsx').then((m) => m.Delivery),
    ),
    page('developers', '/requests', () =>
      import('../rooms/developers/requests/requests.tsx').then((m) => m.Requests),
    ),
    page('developers', '/requests/:id', () =>
      import('../rooms/developers/requests/request.tsx').then((m) => m.Request),
    ),
    page('developers', '/signature-checker', () =>
      import('../rooms/developers/signature-checker/signature-checker.tsx').then((m) => m.SignatureChecker),
    ),
    page('developers', '/credentials', () =>
      import('../rooms/developers/credentials/credentials.tsx').then((m) => m.Credentials),
    ),
  ],
  program: [
    page('program', '/performance', () =>
      import('../rooms/program/performance/performance.tsx').then((m) => m.Performance),
    ),
    page('program', '/program', () => import('../rooms/program/program.tsx').then((m) => m.Program)),
  ],
  people: [
    page('people', '/team', () => import('../rooms/people/team/team.tsx').then((m) => m.Team)),
    page('people', '/activity', () =>
      import('../rooms/people/activity/activity.tsx').then((m) => m.Activity),
    ),
    page('people', '/settings', () =>
      import('../rooms/people/settings/settings.tsx').then((m) => m.Settings),
    ),
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
    : [Shell, ...privatePages.filter(matches(path)).map((one) => one.page)];
  await Promise.allSettled(chunks.map((chunk) => chunk.preload()));
}

/** Loads the chunks of the pages in the room of a path. */
export async function preloadRoom(path: string): Promise<void> {
  const room = Object.values(rooms).find((pages) => pages.some(matches(path)));
  await Promise.allSettled(room?.map((one) => one.page.preload()) ?? []);
}
