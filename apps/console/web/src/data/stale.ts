import type { ChangeName, PathOf, ReadName } from './client.ts';

/** The first part of a path: the routes of one subject. */
type AreaOf<Path extends string> = Path extends `/${infer First}/${string}` ? `/${First}` : Path;

/** The first part of a path. */
export const areaOf = (path: string) => /^\/[^/]*/.exec(path)?.[0] ?? path;

type Area = AreaOf<PathOf<ReadName>>;

const customers: Area[] = ['/orders', '/rewards', '/members', '/referrals', '/home', '/performance'];
const credentials: Area[] = ['/credentials', '/home'];
const webhooks: Area[] = ['/webhooks', '/deliveries', '/home'];
const replays: Area[] = ['/replays', '/deliveries', '/webhooks'];

/** What the page reads again after a change: all routes whose paths begin so. */
export const staleAfter: Record<ChangeName, Area[]> = {
  // The page shows it with every answer of its own.
  'POST /samples': [],
  'POST /samples/:order_id/end-hold': ['/samples'],
  'DELETE /test-data': ['/test-data'],

  'POST /program/simulate': [],
  'PUT /program/draft': ['/program'],
  'DELETE /program/draft': ['/program'],
  'POST /program': ['/program', '/performance'],
  'POST /program/copy-live': ['/program'],

  'POST /orders/:order_id/rewards': customers,
  'POST /rewards/:reward_id/adjust': customers,
  'POST /rewards/:reward_id/revoke': customers,
  'POST /members/:member_id/merge': customers,
  'POST /members/:member_id/referrer': customers,
  'POST /referrals/:id/accept': customers,
  'POST /referrals/:id/reject': customers,
  'POST /referrals/:id/move': customers,

  'POST /credentials/api-keys': credentials,
  'DELETE /credentials/api-keys/:id': credentials,
  'POST /credentials/signing-keys/:id/reveal': [],
  'POST /credentials/identity-secret/reveal': [],
  'POST /credentials/identity-secret/replace': ['/credentials'],
  'PUT /credentials/linking': credentials,
  'POST /credentials/origins': ['/credentials'],
  'POST /webhooks': webhooks,
  'PATCH /webhooks/:id': webhooks,
  'POST /webhooks/:id/pause': webhooks,
  'POST /webhooks/:id/resume': webhooks,
  'POST /webhooks/:id/enable': webhooks,
  'POST /webhooks/:id/test': webhooks,
  'POST /webhooks/:id/probe': webhooks,
  'POST /webhooks/:id/certify': [],
  'POST /webhooks/:id/earlier-rewards': webhooks,
  'POST /webhooks/:id/replays/preview': [],
  'POST /webhooks/:id/replays': replays,
  'POST /replays/preview': [],
  'POST /replays': replays,
  'POST /replays/:id/pause': replays,
  'POST /replays/:id/resume': replays,
  'POST /replays/:id/cancel': replays,
  'POST /deliveries/retry': ['/deliveries', '/webhooks'],
  'POST /deliveries/:id/retry': ['/deliveries', '/webhooks'],
  // A valid signature completes a step of the checklist.
  'POST /signature-check': ['/home'],

  // A new session discards all that was read.
  'POST /session/merchant': [],
  'POST /session/password': [],
  'POST /sign-in': [],
  'POST /sign-out': [],
  'POST /sign-up': [],
  'POST /sign-ups/:token': [],
  'POST /password': [],
  'POST /password-resets': [],
  'POST /password-resets/:token': [],
  'POST /invitations/:token/accept': [],
  'POST /contact-confirmations/:token': [],

  'POST /merchants': [],
  'PATCH /merchant': ['/session'],
  'POST /merchant/contact-confirmation': [],
  'POST /team/invitations': ['/team'],
  'DELETE /team/invitations/:id': ['/team'],
  'PATCH /team/members/:user_id': ['/team', '/credentials', '/session'],
  'DELETE /team/members/:user_id': ['/team', '/credentials'],
};
