import type { Mode } from '@rewardhook/contract';
import type {
  AuditAction,
  AuditActorKind,
  AuditActorRow,
  AuditOutcome,
  AuditRow,
} from '@rewardhook/database';
import type { DateTime } from './response.ts';

export type { AuditAction, AuditActorKind, AuditActorRow, AuditOutcome };

/** Which entries to list. */
export interface AuditFilter {
  /** The e-mail address of a user, or the name of an API key. */
  actor?: string;
  actor_kind?: AuditActorKind;
  action?: AuditAction;
  /** From inclusive, until exclusive. */
  from?: DateTime;
  until?: DateTime;
}

/**
 * Who did what, as the merchant sees it: without the names and hosts of operators and processes, and without what is for them.
 * The actor is the e-mail address of a user, or the name of an API key.
 */
export type AuditEntryView = Omit<AuditRow, 'merchant_id' | 'actor_id' | 'actor_name' | 'subject_kind'> & {
  actor: string | null;
  /** The side of the merchant that it is about. What both have in common, such as the team, belongs to the live one. */
  mode: Mode;
};

/** What the entries contain, to choose from. */
export interface AuditFilters {
  actors: AuditActorRow[];
  actions: AuditAction[];
}
