import type { checkGroups, checks, findings, Unseen } from '@rewardhook/certify';

/** The texts of the checks of a receiver in one language. They are loaded with the first report. */
export interface CertifyTexts {
  groups: Record<keyof typeof checkGroups, string>;
  checks: Record<keyof typeof checks, Record<'title' | 'sent' | 'expected' | 'fix', string>>;
  /** What no run can show. */
  unseen: Record<Unseen, string>;
  /** What was found, with `{{parameters}}`. A fix here takes precedence over that of the check. */
  findings: { [Code in keyof typeof findings]: Record<keyof (typeof findings)[Code], string> };
}
