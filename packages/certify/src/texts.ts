import { checks, type CheckId } from './checks.ts';
import { findings, type FindingCode } from './findings.ts';
import type { CheckResult, Finding } from './report.ts';

/** Replaces each `{{name}}` of a text. */
export function fillText(text: string, parameters: Record<string, string | number>): string {
  return Object.entries(parameters).reduce(
    (filled, [name, value]) => filled.replaceAll(`{{${name}}}`, () => String(value)),
    text,
  );
}

/** What the receiver did, in English. */
export function describeFinding({ code, parameters }: Finding): string {
  return fillText(findings[code as FindingCode].text, parameters);
}

/** How to fix what a check found, in English; undefined when there is nothing to fix. */
export function fixOf({ check, status, finding }: CheckResult): string | undefined {
  if (status === 'passed' || status === 'not_run') return undefined;
  const found = findings[finding.code as FindingCode];
  return ('fix' in found ? found.fix : undefined) ?? checks[check as CheckId].fix;
}
