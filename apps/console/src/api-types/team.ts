import type { DateTime } from './response.ts';
import type { ConsoleRole, MerchantRef, SessionView } from './session.ts';

export interface TeamMember {
  user_id: string;
  email: string;
  role: ConsoleRole;
  joined_at: DateTime;
  /** API keys of the merchant that they created and that are not revoked. */
  live_keys: number;
}

export interface InvitationView {
  id: string;
  email: string;
  role: ConsoleRole;
  created_at: DateTime;
  expires_at: DateTime;
}

/** GET /team (owner). Invitations are those that can still be accepted. */
export interface TeamView {
  members: TeamMember[];
  invitations: InvitationView[];
}

/**
 * POST /team/invitations (owner) → 201 `InviteResponse`, and a mail with the link, valid for 7 days, to the address. 409
 * `mail_not_configured`; 409 `conflict` names a limit. DELETE /team/invitations/:id → 204.
 */
export interface InviteRequest {
  email: string;
  role: ConsoleRole;
}

export interface InviteResponse {
  invitation: InvitationView;
}

/**
 * PATCH /team/members/:user_id (owner) → `TeamMember`. DELETE /team/members/:user_id?revoke_keys=true → 204. 409
 * `conflict` when it would leave the merchant without an owner.
 */
export interface ChangeRoleRequest {
  role: ConsoleRole;
  /** The role as the caller has read it. */
  base?: { role: ConsoleRole };
  /** Whether the API keys that they created are revoked too. */
  revoke_keys?: boolean;
}

/** GET /invitations/:token, without a session; 404 if it is unknown, used, revoked or expired. */
export interface PendingInvitation {
  email: string;
  role: ConsoleRole;
  merchant: Pick<MerchantRef, 'name'>;
  expires_at: DateTime;
}

/**
 * POST /invitations/:token/accept → `SessionView`, with a session of the invited user at that merchant. Without a
 * password only while signed in with the invited address. Otherwise it is the password of the account with that
 * address, or becomes the password of a new account; 401 `wrong_credentials` if it is wrong.
 */
export interface AcceptInvitationRequest {
  password?: string;
}

export type AcceptInvitationResponse = SessionView;
