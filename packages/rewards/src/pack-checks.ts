import type { Check } from './checks.ts';

/** A check as it is stored with its decision: `[check, value, threshold, passed]`. */
export type PackedCheck = [Check['check'], Check['value'], Check['threshold'], boolean];

/** Checks as JSON, as short as they can be: they are written once for each order and read for hardly any. */
export function packChecks(checks: Check[]): string {
  return JSON.stringify(
    checks.map(
      ({ check, value, threshold, passed }) => [check, value, threshold, passed] satisfies PackedCheck,
    ),
  );
}

/** Checks as they were before they were packed. */
export function unpackChecks(packed: PackedCheck[]): Check[] {
  return packed.map(([check, value, threshold, passed]) => ({ check, value, threshold, passed }));
}
