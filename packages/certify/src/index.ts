/** Checks of a webhook receiver. Pure: the caller signs and sends. */
export { certify, type CertifyOptions } from './certify.ts';
export { checkGroups, checks, type CheckGroup, type CheckId } from './checks.ts';
export { findings, type FindingCode } from './findings.ts';
export type {
  CertifyReport,
  CheckResult,
  CheckStatus,
  Finding,
  GrantsOfReward,
  ReportOutcome,
  Step,
} from './report.ts';
export { unseen, type Unseen } from './unseen.ts';
export { describeFinding, fillText, fixOf } from './texts.ts';
export type {
  Answer,
  OutgoingRequest,
  Pace,
  Send,
  Sign,
  SigningSecrets,
  UnsignedRequest,
} from './transport.ts';
