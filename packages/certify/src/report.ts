/**
 * `passed`: as expected. `warning`: works, but is not safe or not robust. `failed`: wrong. `not_run`: could not be
 * checked, for the reason that the finding gives.
 */
export type CheckStatus = 'passed' | 'warning' | 'failed' | 'not_run';

/** What the receiver did, as a code with the parameters of its text. */
export type Finding = { code: string; parameters: Record<string, string | number> };

/** One request of a check, and its answer. */
export type Step = {
  /** What was sent: `reward.issue`, … */
  event_type: string;
  delivery_id: string;
  event_id: string;
  /** Null when there was no answer. */
  status: number | null;
  ms: number;
  /** Why there was no complete answer, else null. */
  error: string | null;
  /** The beginning of the response body. */
  response: string;
};

/** How often the reward of a check is granted, as the receiver's own count says. */
export type GrantsOfReward = { reward_id: string; expected: number; observed: number };

/** The result of one check. */
export type CheckResult = {
  /** Such as `altered_body`. */
  check: string;
  status: CheckStatus;
  finding: Finding;
  steps: Step[];
  /** Null when grants were not observed. */
  grants: GrantsOfReward | null;
};

/**
 * `failed` when a check failed. Else `not_observed` when a check was not run, or when grants were not counted while the
 * events stood for money. Else `warnings` when a check has a warning, else `passed`.
 */
export type ReportOutcome = 'passed' | 'warnings' | 'not_observed' | 'failed';

/** What the checks of a receiver found. */
export type CertifyReport = {
  url: string;
  outcome: ReportOutcome;
  /** ISO 8601 in UTC. */
  started_at: string;
  duration_ms: number;
  /** Whether the events were marked as tests (`"test": true`). */
  marked_as_tests: boolean;
  /** Whether the receiver's own count was read for each reward. Without it, "granted once" was not observed. */
  grants_observed: boolean;
  /** What no run can show, as codes of `unseen`. */
  cannot_be_seen: string[];
  counts: Record<CheckStatus, number>;
  checks: CheckResult[];
};
