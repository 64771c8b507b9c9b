import type { EventType } from '@rewardhook/contract';
import type {
  DeliveryListRow,
  EarlierRewards,
  MemberRow,
  ReferralRow,
  ReplayListRow,
  RewardListRow,
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
  'GET /home': read<Api.HomeView, { range?: Api.HomeRange }>('viewer'),
  'GET /problems': list<Api.ProblemView, Api.ProblemFilter>('viewer'),
  'GET /search': read<Api.SearchView, { q: string }>('viewer'),
  'POST /samples': change<Api.SampleView>('developer', 'sample.created', { side: 'test', status: 201 }),
  'GET /samples/:order_id': read<Api.SampleView>('viewer', { side: 'test' }),
  'POST /samples/:order_id/end-hold': change<Api.SampleView>('developer', 'sample.hold_ended', {
    side: 'test',
  }),
  'GET /test-data': read<Api.TestDataView>('viewer', { side: 'test' }),
  'DELETE /test-data': change<Api.TestDataView>('owner', 'test_data.wiped', { side: 'test', status: 202 }),

  'GET /program': read<Api.ProgramView>('viewer'),
  'POST /program/simulate': change<Api.SimulationView, Api.SimulateRequest>('developer', null),
  'POST /program': change<Api.ProgramVersionView, Api.PublishProgramRequest>(
    'developer',
    'program.published',
    {
      status: 201,
    },
  ),
  'POST /program/copy-live': change<Api.ProgramVersionView>('developer', 'program.published', {
    side: 'test',
    status: 201,
  }),

  'GET /orders': list<Api.OrderListItem, Api.OrderFilter>('viewer'),
  'GET /orders/:order_id': read<Api.OrderResponse>('viewer'),
  'POST /orders/:order_id/rewards': change<RewardListRow, Api.GrantRewardRequest>(
    'developer',
    'reward.granted',
  ),
  'GET /rewards': list<RewardListRow, Api.RewardFilter>('viewer'),
  'GET /rewards.csv': csv<Api.RewardFilter>('viewer', 'reward.exported'),
  'POST /rewards/:reward_id/adjust': change<RewardListRow, Api.AdjustRewardRequest>(
    'developer',
    'reward.adjusted',
  ),
  'POST /rewards/:reward_id/revoke': change<RewardListRow, Api.Correction>('developer', 'reward.revoked'),
  'GET /members': list<MemberRow, Api.MemberFilter>('viewer'),
  'GET /members.csv': csv<Api.MemberFilter>('viewer', 'member.exported'),
  'GET /members/:member_id': read<Api.MemberView>('viewer'),
  'POST /members/:member_id/merge': change<Api.MergedMemberView, Api.MergeMemberRequest>(
    'developer',
    'member.merged',
  ),
  'GET /referrals': list<ReferralRow, Api.ReferralFilter>('viewer'),
  'GET /referrals.csv': csv<Api.ReferralFilter>('viewer', 'referral.exported'),
  'GET /referrals/:id': read<Api.ReferralDetail>('viewer'),
  'POST /referrals/:id/accept': change<Api.ReferralDetail>('developer', 'referral.accepted'),
  'POST /referrals/:id/reject': change<Api.ReferralDetail>('developer', 'referral.rejected'),
  'POST /referrals/:id/move': change<Api.MovedReferral, Api.MoveReferralRequest>(
    'developer',
    'referral.moved',
  ),

  'GET /credentials': read<Api.CredentialsView>('viewer'),
  'POST /credentials/api-keys': change<Api.NewApiKeyResponse, Api.NewApiKeyRequest>(
    'developer',
    'api_key.created',
    {
      status: 201,
    },
  ),
  'DELETE /credentials/api-keys/:id': change<void>('developer', 'api_key.revoked'),
  'POST /credentials/signing-keys/:id/reveal': change<Api.RevealedSecret>(
    'developer',
    'signing_key.revealed',
  ),
  'POST /credentials/identity-secret/reveal': change<Api.RevealedSecret>(
    'developer',
    'identity_secret.revealed',
  ),
  'POST /credentials/identity-secret/replace': change<
    Api.ReplacedIdentitySecret,
    Api.ReplaceIdentitySecretRequest
  >('owner', 'identity_secret.replaced'),
  'PUT /credentials/linking': change<Api.LinkingView, Api.ChangeLinkingRequest>(
    'developer',
    'merchant.linking_changed',
  ),
  'POST /credentials/origins': change<Api.OriginsView, { origin: string }>('developer', 'origin.verified'),
  'GET /webhooks/event-types': read<EventType[]>('viewer'),
  'GET /webhooks': list<Api.WebhookView>('viewer'),
  'POST /webhooks': change<Api.WebhookView, Api.NewWebhookRequest>('developer', 'webhook.created', {
    status: 201,
  }),
  'GET /webhooks/:id': read<Api.WebhookView>('viewer'),
  'PATCH /webhooks/:id': change<Api.WebhookView, Api.ChangeWebhookRequest>('developer', 'webhook.changed'),
  'POST /webhooks/:id/pause': change<Api.WebhookView>('developer', 'webhook.paused'),
  'POST /webhooks/:id/resume': change<Api.WebhookView>('developer', 'webhook.resumed'),
  'POST /webhooks/:id/enable': change<Api.WebhookView>('developer', 'webhook.enabled'),
  'POST /webhooks/:id/probe': change<Api.DeliveryView>('developer', 'delivery.retried'),
  'GET /webhooks/:id/health': read<WebhookHealthRow>('viewer'),
  'POST /webhooks/:id/test': change<Api.WebhookTestResponse, { type?: EventType }>(
    'developer',
    'webhook.tested',
  ),
  'POST /webhooks/:id/certify': change<Api.CertifyReport>('developer', 'webhook.certified'),
  'GET /webhooks/:id/earlier-rewards': read<EarlierRewards>('viewer'),
  'POST /webhooks/:id/earlier-rewards': change<EarlierRewards>('developer', 'webhook.earlier_rewards_sent'),
  'POST /webhooks/:id/replays/preview': change<Api.ReplayPreview, Api.ReplayPreviewRequest>(
    'developer',
    null,
  ),
  'POST /webhooks/:id/replays': change<ReplayListRow, Api.NewReplayRequest>('developer', 'replay.created', {
    status: 201,
  }),
  'POST /replays/preview': change<Api.ReplayPreview, Api.ReplayPreviewRequest>('developer', null),
  'POST /replays': change<ReplayListRow, Api.NewReplayRequest>('developer', 'replay.created', {
    status: 201,
  }),
  'GET /replays': list<ReplayListRow, { endpoint_id?: string }>('viewer'),
  'GET /replays/:id': read<ReplayListRow>('viewer'),
  'POST /replays/:id/pause': change<ReplayListRow>('developer', 'replay.paused'),
  'POST /replays/:id/resume': change<ReplayListRow>('developer', 'replay.resumed'),
  'POST /replays/:id/cancel': change<ReplayListRow>('developer', 'replay.cancelled'),
  'GET /deliveries': list<DeliveryListRow, Api.DeliveryFilter>('viewer'),
  'POST /deliveries/retry': change<Api.RetryPlan, Api.RetryDeliveriesRequest>(
    'developer',
    'delivery.retried',
  ),
  'GET /deliveries/:id': read<Api.DeliveryView>('viewer'),
  'POST /deliveries/:id/retry': change<Api.DeliveryView>('developer', 'delivery.retried'),
  'POST /signature-check': change<Api.SignatureCheckResponse, Api.SignatureCheckRequest>('developer', null),

  'GET /session': read<Api.SessionView>('viewer', { side: 'merchant' }),
  'POST /session/merchant': change<Api.SessionView, { merchant_id: string }>(
    'viewer',
    'user.merchant_selected',
    {
      side: 'merchant',
    },
  ),
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
  'POST /password': change<void, Api.ChangePasswordRequest>('viewer', 'user.password_changed', {
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
  'POST /merchants': change<Api.SignUpResponse, Api.NewMerchantRequest>('viewer', 'merchant.created', {
    side: 'merchant',
    status: 201,
  }),
  'PATCH /merchant': change<Api.SessionView['merchant'], Api.ChangeMerchantRequest>(
    'owner',
    'merchant.changed',
    {
      side: 'merchant',
    },
  ),
  'POST /merchant/contact-confirmation': change<Api.MailSentResponse>(
    'owner',
    'merchant.contact_confirmation_sent',
    {
      side: 'merchant',
      status: 202,
    },
  ),
  'GET /team': read<Api.TeamView>('owner', { side: 'merchant' }),
  'POST /team/invitations': change<Api.InviteResponse, Api.InviteRequest>('owner', 'invitation.created', {
    side: 'merchant',
    status: 201,
  }),
  'DELETE /team/invitations/:id': change<void>('owner', 'invitation.revoked', { side: 'merchant' }),
  'PATCH /team/members/:user_id': change<Api.TeamMember, Api.ChangeRoleRequest>(
    'owner',
    'user.role_changed',
    {
      side: 'merchant',
    },
  ),
  'DELETE /team/members/:user_id': change<void, { revoke_keys?: boolean }>('owner', 'user.removed', {
    side: 'merchant',
  }),
  'GET /audit': list<Api.AuditEntryView, Api.AuditFilter>('owner'),
  'GET /audit/filters': read<Api.AuditFilters>('owner'),
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
