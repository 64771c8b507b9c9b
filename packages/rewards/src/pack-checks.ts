import type { Check } from './checks.ts';

/** A check as it is stored with its decision: `[check, value, threshold, passed]`. */
export type PackedCheck = [Check['check'], Check['value'], Check['threshold'], boolean];

/** Checks as short as they can be: they are written once for each order and read for hardly any. */
export function packChecks(checks: Check[]): PackedCheck[] {
  return checks.map(({ check, value, threshold, passed }) => [check, value, threshold, passed]);
}

/** Checks as they were before they were packed. */
export function unpackChecks(packed: PackedCheck[]): Check[] {
  return packed.map(([check, value, threshold, passed]) => ({ check, value, threshold, passed }));
}
