import type { Mode } from '@rewardhook/contract';
import type { AuditAction, AuditActorKind, AuditOutcome } from '@rewardhook/database';
import type { DateTime, Page } from './response.ts';

export type { AuditAction, AuditActorKind, AuditOutcome };

/** GET /audit, newest first. */
export interface AuditQuery {
  /** The e-mail address of a user, or the name of an API key. */
  actor?: string;
  actor_kind?: AuditActorKind;
  action?: AuditAction;
  /** From inclusive, until exclusive. */
  from?: DateTime;
  until?: DateTime;
  after?: string;
  limit?: number;
}

/** Who did what. */
export interface AuditEntryView {
  id: string;
  at: DateTime;
  /** `api_key`: a program of the merchant. `operator`: the operator of the service. `system`: the service itself. `unknown`: someone who was not signed in. */
  actor_kind: AuditActorKind;
  /** The e-mail address of a user, or the name of an API key. Null for an operator: merchants do not see their names. */
  actor: string | null;
  action: AuditAction;
  /** The side of the merchant that it is about. What both have in common, such as the team, belongs to the live one. */
  mode: Mode;
  outcome: AuditOutcome;
  /** The id of what it is about. */
  subject_id: string | null;
  /** The e-mail address of the user or invitation that it is about. */
  subject_email: string | null;
  /** Of `member.merged`: the member who was merged or renamed, and the one who survived; null for other actions, and once one was erased. */
  subject_merge: { from_member_id: string; into_member_id: string } | null;
  /** The address of the client of a user or an API key. */
  address: string | null;
  request_id: string | null;
  /** Changed fields with their former and new values, and other parameters of the action. */
  details: Record<string, unknown>;
}

/** Who caused entries. */
export interface AuditActorView {
  kind: AuditActorKind;
  /** The e-mail address of a user, or the name of an API key; null for the other kinds. */
  name: string | null;
}

/** GET /audit/filters: what the entries contain. */
export interface AuditFilters {
  actors: AuditActorView[];
  actions: AuditAction[];
}

export type AuditPage = Page<AuditEntryView>;
