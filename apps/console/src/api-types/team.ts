import type { DateTime } from './response.ts';
import type { ConsoleRole, PendingContactConfirmation } from './session.ts';

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

/** Invitations are those that can still be accepted. */
export interface TeamView {
  members: TeamMember[];
  invitations: InvitationView[];
}

export interface InviteRequest {
  email: string;
  role: ConsoleRole;
}

export interface InviteResponse {
  invitation: InvitationView;
}

export interface ChangeRoleRequest {
  role: ConsoleRole;
  /** The role as the caller has read it. */
  base?: { role: ConsoleRole };
  /** Whether the API keys that they created are revoked too. */
  revoke_keys?: boolean;
}

export interface PendingInvitation extends PendingContactConfirmation {
  role: ConsoleRole;
}
