/** The fields of a decision that make it a new one. */
export interface DecisionKey {
  orderVersion: number;
  programVersion: number;
  outcome: string;
  reason: string;
  referralId: string;
}

/** Whether a decision repeats the newest stored one of its order: it is not stored again. */
export function repeatsDecision(decision: DecisionKey, last: DecisionKey | undefined): boolean {
  return (
    last?.orderVersion === decision.orderVersion &&
    last.programVersion === decision.programVersion &&
    last.outcome === decision.outcome &&
    last.reason === decision.reason &&
    last.referralId === decision.referralId
  );
}
