import type { EventType } from '@rewardhook/contract';
import type {
  DeliveryListRow,
  EarlierRewards,
  MemberRow,
  ReferralRow,
  ReplayListRow,
  RequestRow,
  RewardListRow,
  VersionFiguresRow,
  WebhookHealthRow,
} from '@rewardhook/database';
import type * as Api from './api-types.ts';
import { change, csv, list, openChange, openRead, read } from './http/declare-route.ts';
import type { DeclaredChange, DeclaredRoute, RouteAccess } from './http/declare-route.ts';

/**
 * Every route of the API: its method, its path below /api/console, what it answers and takes, and who may call it. The server
 * mounts them in this order and uses the first one that matches; the types of the handlers and of the page's client follow from it.
 */
export const routes = {
  'GET /home': read<Api.HomeView, { range?: Api.HomeRange }>('read'),
  'GET /problems': list<Api.ProblemView, Api.ProblemFilter>('read'),
  'GET /search': read<Api.SearchView, { q: string }>('read'),
  'POST /samples': change<Api.SampleView>('integrate', 'sample.created', { side: 'test', status: 201 }),
  'GET /samples/:order_id': read<Api.SampleView>('read', { side: 'test' }),
  'POST /samples/:order_id/end-hold': change<Api.SampleView>('integrate', 'sample.hold_ended', {
    side: 'test',
  }),
  'GET /test-data': read<Api.TestDataView>('read', { side: 'test' }),
  'DELETE /test-data': change<Api.TestDataView>('manage', 'test_data.wiped', { side: 'test', status: 202 }),

  'GET /performance': read<Api.PerformanceView, Api.PerformanceFilter>('read'),
  'GET /performance.csv': csv<Api.PerformanceFilter>('read', 'performance.exported'),
  'GET /program': read<Api.ProgramView>('read'),
  'GET /program/figures': read<VersionFiguresRow[]>('read'),
  'PUT /program/draft': change<void, Api.SaveDraftRequest>('publish', 'program.draft_saved'),
  'DELETE /program/draft': change<void, { former_saved_at?: string }>('publish', 'program.draft_deleted'),
  'POST /program/simulate': change<Api.SimulationView, Api.SimulateRequest>('publish', null),
  'POST /program': change<Api.ProgramVersionView, Api.PublishProgramRequest>('publish', 'program.published', {
    status: 201,
  }),
  'POST /program/copy-live': change<Api.ProgramVersionView>('publish', 'program.published', {
    side: 'test',
    status: 201,
  }),

  'GET /orders': list<Api.OrderListItem, Api.OrderFilter>('read'),
  'GET /orders.csv': csv<Api.OrderFilter>('read', 'order.exported'),
  'GET /orders/:order_id': read<Api.OrderResponse>('read'),
  'POST /orders/:order_id/rewards': change<RewardListRow, Api.GrantRewardRequest>(
    'correct',
    'reward.granted',
  ),
  'GET /rewards': list<RewardListRow, Api.RewardFilter>('read'),
  'GET /rewards/sums': read<Api.RewardTotals, Api.RewardFilter>('read'),
  'GET /rewards.csv': csv<Api.RewardFilter>('read', 'reward.exported'),
  'POST /rewards/:reward_id/adjust': change<RewardListRow, Api.AdjustRewardRequest>(
    'correct',
    'reward.adjusted',
  ),
  'POST /rewards/:reward_id/revoke': change<RewardListRow, Api.Correction>('correct', 'reward.revoked'),
  'GET /members': list<MemberRow, Api.MemberFilter>('read'),
  'GET /members.csv': csv<Api.MemberFilter>('read', 'member.exported'),
  'GET /members/:member_id': read<Api.MemberView>('read'),
  'POST /members/:member_id/merge': change<Api.MergedMemberView, Api.MergeMemberRequest>(
    'correct',
    'member.merged',
  ),
  'POST /members/:member_id/referrer': change<Api.MovedReferral, Api.MoveReferralRequest>(
    'correct',
    'referral.moved',
  ),
  'GET /referrals': list<ReferralRow, Api.ReferralFilter>('read'),
  'GET /referrals.csv': csv<Api.ReferralFilter>('read', 'referral.exported'),
  'GET /referrals/:id': read<Api.ReferralDetail>('read'),
  'POST /referrals/:id/accept': change<Api.ReferralDetail>('review', 'referral.accepted'),
  'POST /referrals/:id/reject': change<Api.ReferralDetail>('review', 'referral.rejected'),
  'POST /referrals/:id/move': change<Api.MovedReferral, Api.MoveReferralRequest>('correct', 'referral.moved'),

  'GET /credentials': read<Api.CredentialsView>('read'),
  'POST /credentials/api-keys': change<Api.NewApiKeyResponse, Api.NewApiKeyRequest>(
    'integrate',
    'api_key.created',
    {
      status: 201,
    },
  ),
  'DELETE /credentials/api-keys/:id': change<void>('integrate', 'api_key.revoked'),
  'POST /credentials/signing-keys/:id/reveal': change<Api.RevealedSecret>(
    'integrate',
    'signing_key.revealed',
  ),
  'POST /credentials/identity-secret/reveal': change<Api.RevealedSecret>(
    'integrate',
    'identity_secret.revealed',
  ),
  'POST /credentials/identity-secret/replace': change<
    Api.ReplacedIdentitySecret,
    Api.ReplaceIdentitySecretRequest
  >('integrate', 'identity_secret.replaced'),
  'PUT /credentials/linking': change<Api.LinkingView, Api.ChangeLinkingRequest>(
    'integrate',
    'merchant.linking_changed',
  ),
  'POST /credentials/origins': change<Api.OriginsView, { origin: string }>('integrate', 'origin.verified'),
  'GET /webhooks/event-types': read<EventType[]>('read'),
  'GET /webhooks': list<Api.WebhookView>('read'),
  'POST /webhooks': change<Api.WebhookView, Api.NewWebhookRequest>('integrate', 'webhook.created', {
    status: 201,
  }),
  'GET /webhooks/:id': read<Api.WebhookView>('read'),
  'PATCH /webhooks/:id': change<Api.WebhookView, Api.ChangeWebhookRequest>('integrate', 'webhook.changed'),
  'POST /webhooks/:id/pause': change<Api.WebhookView>('integrate', 'webhook.paused'),
  'POST /webhooks/:id/resume': change<Api.WebhookView>('integrate', 'webhook.resumed'),
  'POST /webhooks/:id/enable': change<Api.WebhookView>('integrate', 'webhook.enabled'),
  'POST /webhooks/:id/probe': change<Api.DeliveryView>('integrate', 'delivery.retried'),
  'GET /webhooks/:id/health': read<WebhookHealthRow>('read'),
  'POST /webhooks/:id/test': change<Api.WebhookTestResponse, { type?: EventType }>(
    'integrate',
    'webhook.tested',
  ),
  'POST /webhooks/:id/certify': change<Api.CertifyReport>('integrate', 'webhook.certified'),
  'GET /webhooks/:id/earlier-rewards': read<EarlierRewards>('read'),
  'POST /webhooks/:id/earlier-rewards': change<EarlierRewards>('integrate', 'webhook.earlier_rewards_sent'),
  'POST /webhooks/:id/replays/preview': change<Api.ReplayPreview, Api.ReplayPreviewRequest>(
    'integrate',
    null,
  ),
  'POST /webhooks/:id/replays': change<ReplayListRow, Api.NewReplayRequest>('integrate', 'replay.created', {
    status: 201,
  }),
  'POST /replays/preview': change<Api.ReplayPreview, Api.ReplayPreviewRequest>('integrate', null),
  'POST /replays': change<ReplayListRow, Api.NewReplayRequest>('integrate', 'replay.created', {
    status: 201,
  }),
  'GET /replays': list<ReplayListRow, { endpoint_id?: string }>('read'),
  'GET /replays/:id': read<ReplayListRow>('read'),
  'POST /replays/:id/pause': change<ReplayListRow>('integrate', 'replay.paused'),
  'POST /replays/:id/resume': change<ReplayListRow>('integrate', 'replay.resumed'),
  'POST /replays/:id/cancel': change<ReplayListRow>('integrate', 'replay.cancelled'),
  'GET /deliveries': list<DeliveryListRow, Api.DeliveryFilter>('read'),
  'POST /deliveries/retry': change<Api.RetryPlan, Api.RetryDeliveriesRequest>('correct', 'delivery.retried'),
  'GET /deliveries/:id': read<Api.DeliveryView>('read'),
  'POST /deliveries/:id/retry': change<Api.DeliveryView>('correct', 'delivery.retried'),
  'GET /requests': list<RequestRow, Api.RequestFilter>('read'),
  'GET /requests/errors': read<Api.RequestErrorsView>('read'),
  'GET /requests/:id': read<Api.RequestView>('read'),
  'POST /signature-check': change<Api.SignatureCheckResponse, Api.SignatureCheckRequest>('integrate', null),

  'GET /session': read<Api.SessionView>('read', { side: 'merchant' }),
  'POST /session/merchant': change<Api.SessionView, { merchant_id: string }>(
    'read',
    'user.merchant_selected',
    {
      side: 'merchant',
    },
  ),
  'POST /session/password': change<void, { password: string }>('read', 'user.password_entered', {
    side: 'merchant',
    auditRefusals: ['wrong_credentials'],
  }),
  'POST /sign-in': openChange<Api.SessionView, Api.SignInRequest>('user.signed_in', {
    auditRefusals: ['wrong_credentials'],
  }),
  'POST /sign-out': openChange<void>('user.signed_out'),
  'POST /sign-up': openChange<Api.MailSentResponse, { email: string }>('user.sign_up_requested', {
    status: 202,
  }),
  'GET /sign-ups/:token': openRead<Api.PendingAddress>(),
  'POST /sign-ups/:token': openChange<Api.SignUpResponse, Api.CompleteSignUpRequest>('user.signed_up', {
    status: 201,
  }),
  'POST /password': change<void, Api.ChangePasswordRequest>('read', 'user.password_changed', {
    side: 'merchant',
    auditRefusals: ['wrong_credentials'],
  }),
  'POST /password-resets': openChange<Api.MailSentResponse, { email: string }>(
    'user.password_reset_requested',
    {
      status: 202,
    },
  ),
  'GET /password-resets/:token': openRead<Api.PendingAddress>(),
  'POST /password-resets/:token': openChange<void, { password: string }>('user.password_reset'),
  'GET /invitations/:token': openRead<Api.PendingInvitation>(),
  'POST /invitations/:token/accept': openChange<Api.SessionView, { password?: string }>(
    'invitation.accepted',
    {
      auditRefusals: ['wrong_credentials'],
    },
  ),
  'GET /contact-confirmations/:token': openRead<Api.PendingContactConfirmation>(),
  'POST /contact-confirmations/:token': openChange<void>('merchant.contact_confirmed'),

  'GET /time-zones': openRead<string[]>(),
  'POST /merchants': change<Api.SignUpResponse, Api.NewMerchantRequest>('read', 'merchant.created', {
    side: 'merchant',
    status: 201,
  }),
  'PATCH /merchant': change<Api.SessionView['merchant'], Api.ChangeMerchantRequest>(
    'manage',
    'merchant.changed',
    {
      side: 'merchant',
    },
  ),
  'POST /merchant/contact-confirmation': change<Api.MailSentResponse>(
    'manage',
    'merchant.contact_confirmation_sent',
    {
      side: 'merchant',
      status: 202,
    },
  ),
  'GET /team': read<Api.TeamView>('manage', { side: 'merchant' }),
  'POST /team/invitations': change<Api.InviteResponse, Api.InviteRequest>('manage', 'invitation.created', {
    side: 'merchant',
    status: 201,
  }),
  'DELETE /team/invitations/:id': change<void>('manage', 'invitation.revoked', { side: 'merchant' }),
  'PATCH /team/members/:user_id': change<Api.TeamMember, Api.ChangeRoleRequest>(
    'manage',
    'user.role_changed',
    {
      side: 'merchant',
    },
  ),
  'DELETE /team/members/:user_id': change<void, { revoke_keys?: boolean }>('manage', 'user.removed', {
    side: 'merchant',
  }),
  'GET /audit': list<Api.AuditEntryView, Api.AuditFilter>('activity'),
  'GET /audit/filters': read<Api.AuditFilters>('activity'),
} satisfies Record<`GET ${string}`, DeclaredRoute<unknown, unknown, RouteAccess>> &
  Record<`${'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`, DeclaredChange<unknown, unknown, RouteAccess>>;

type Routes = typeof routes;

/** A route by its method and path. */
export type RouteName = keyof Routes;

type ParameterOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer After}`
    ? Name | ParameterOf<After>
    : Rest
  : never;

/** The parameters in the path of a route. */
export type ParamsOf<Name extends RouteName> = Record<ParameterOf<Name>, string>;

type TypesOf<Name extends RouteName> = NonNullable<Routes[Name]['types']>;

/** What a route answers with, as `data`; void is 204 or a file. */
export type AnswerOf<Name extends RouteName> = TypesOf<Name>['answer'];

/** The query of a GET or DELETE, the body of another method; undefined when it takes none. */
export type InputOf<Name extends RouteName> = TypesOf<Name>['input'];

/** Routes that can be called without a session. */
export type OpenRouteName = {
  [Name in RouteName]: Routes[Name]['access'] extends 'public' ? Name : never;
}[RouteName];
