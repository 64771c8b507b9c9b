// The entry `./operations`: migrations, retention, digests, the doctor. Nothing here loads Prisma's client.

export { checkDatabase } from './client/check-database.ts';
export { probeDatabase } from './client/client.ts';
export { countAttempts } from './operations/attempt-counts.ts';
export { countClicks } from './operations/click-counts.ts';
export { claimDigest, completeAllNotices, completeDigest, postponeDigest } from './endpoints/notice-mail.ts';
export type { ClaimedDigest, DigestNotice } from './endpoints/notice-mail.ts';
export { migrationSettings } from './environment.ts';
export { countSealedSecrets, resealSecrets } from './merchants/sealed-secrets.ts';
export { findBadTimeZones } from './merchants/time-zones.ts';
export { findOwnerState, finishWipe, listLateWipes, listPendingWipes, wipeBatch } from './merchants/wipe.ts';
export { migrationsFolder, readMigrations } from './migrations/migration-files.ts';
export { readReleases, releasesFile } from './migrations/releases.ts';
export {
  countUnknownBatches,
  countUnknownEndpoints,
  describeRestoredData,
  listUnknownMerchants,
} from './operations/after-restore.ts';
export type { RestoredData } from './operations/after-restore.ts';
export { countBacklog, findFaults } from './operations/doctor.ts';
export {
  findProblems,
  findPromiseProblems,
  findUnreferredOrders,
  frequentKinds,
  promiseProblemKinds,
} from './problems/find-problems.ts';
export type { FoundProblem } from './problems/find-problems.ts';
export { claimNotifications, completeNotification, skipNotifications } from './problems/problems.ts';
export type { ClaimedProblem } from './problems/problems.ts';
export {
  claimProblemMail,
  completeAllProblemMails,
  completeProblemMail,
  findOperatorProblems,
  postponeProblemMail,
} from './problems/problem-mail.ts';
export type { MailedProblem, ProblemMail } from './problems/problem-mail.ts';
export { recordProblems } from './problems/record-problems.ts';
export type { ProblemKind, ProblemRecipient } from './states.ts';
export {
  countedWithinSeconds,
  countLateRewards,
  countPromises,
  listOpenPromises,
  promiseScopes,
  readPromiseSums,
} from './operations/promises.ts';
export type { OpenPromises, PromiseScope, PromiseSum } from './operations/promises.ts';
export { renewInstallationId } from './operations/installation.ts';
export { findVersionCeiling, raiseVersionCeiling } from './orders/version-ceiling.ts';
export { PruningInterrupted } from './retention/prune-run.ts';
export { previewPruning, pruneDatabase } from './retention/prune.ts';
export type { Pruning } from './retention/prune.ts';
export { readRetention } from './retention/read-retention.ts';
