// What every process needs: exported by the entries `.` and `./stages`.
export { openSql } from './client/client.ts';
export type { Sql } from './client/client.ts';
export { databaseProblemOf, isDatabaseOutage, isDataError, isTransient } from './client/database-errors.ts';
export type { DatabaseProblem } from './client/database-errors.ts';
export type { DueBatch } from './evaluation/due-batches.ts';
export {
  formerIdentitySecretContext,
  identitySecretContext,
  openSealer,
  SealError,
  signingKeyContext,
} from './merchants/sealer.ts';
export type { Sealer } from './merchants/sealer.ts';
export { findInstallationId } from './operations/installation.ts';
export { findFreeVersion } from './orders/version-ceiling.ts';
export type { NoticeType } from './states.ts';
