import { showAudit, showAuditFilters } from './people/activity-routes.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { changeLinking, createApiKey, replaceSecret, revokeKey } from './developers/change-credentials.ts';
import { revealIdentitySecret, revealSigningKey } from './developers/reveal-secrets.ts';
import { verifyMerchantOrigin } from './developers/origins.ts';
import { showCredentials } from './developers/show-credentials.ts';
import { retryDeliveryNow, showDeliveries, showDelivery } from './developers/delivery-routes.ts';
import { showHome } from './home/home-route.ts';
import type { Route } from './http/route.ts';
import {
  changeOwnPassword,
  completePasswordReset,
  requestPasswordReset,
  showPasswordReset,
} from './account/password-routes.ts';
import { showSession, signIn, signOut, switchMerchant } from './account/session-routes.ts';
import { finishSignUp, showSignUp, signUp } from './account/sign-up.ts';
import {
  changeMerchant,
  confirmContactAddress,
  createMerchant,
  sendContactConfirmation,
  showContactConfirmation,
  showTimeZones,
} from './people/settings-routes.ts';
import {
  exportMembers,
  exportReferrals,
  showMember,
  showMembers,
  showReferrals,
} from './customers/member-routes.ts';
import { mergeMember } from './customers/merge-member.ts';
import { moveReferral } from './customers/move-referral.ts';
import { acceptReferral, rejectReferral, showReferral } from './customers/referral-routes.ts';
import { showOrder, showOrders } from './customers/order-routes.ts';
import { copyLiveProgram, publishRule, showProgram, simulateProgram } from './program/program-routes.ts';
import { showProblems } from './home/problem-routes.ts';
import { showMatches } from './home/search-route.ts';
import { adjustReward, grantReward, revokeReward } from './customers/correction-routes.ts';
import { exportRewards, showRewards } from './customers/reward-routes.ts';
import { createSample, endSampleHold, showSample } from './test-side/samples.ts';
import { showTestData, wipeTestData } from './test-side/test-data.ts';
import { checkPastedSignature } from './developers/signature-route.ts';
import { accept, invite, showInvitation } from './account/invitations.ts';
import { changeRole, removeMember, showTeam, withdrawInvitation } from './people/team-routes.ts';
import { certifyWebhook } from './developers/certify-route.ts';
import { sendEarlierRewardsNow, showEarlierRewards } from './developers/earlier-rewards-routes.ts';
import { enableWebhook, pauseWebhook, resumeWebhook, testWebhook } from './developers/control-routes.ts';
import {
  cancelActiveReplay,
  pauseRunningReplay,
  previewNewReplay,
  resumePausedReplay,
  showReplay,
  showReplays,
  startReplay,
} from './developers/replay-routes.ts';
import {
  changeWebhook,
  createWebhook,
  showEventTypes,
  showWebhook,
  showWebhooks,
} from './developers/webhook-routes.ts';

/** All routes of the API. If two match a path, the first one is used. */
export const createRoutes = (dependencies: ConsoleDependencies): Route[] => [
  showTimeZones(dependencies),
  signUp(dependencies),
  showSignUp(dependencies),
  finishSignUp(dependencies),
  signIn(dependencies),
  signOut(dependencies),
  showSession(dependencies),
  switchMerchant(dependencies),
  changeOwnPassword(dependencies),
  requestPasswordReset(dependencies),
  showPasswordReset(dependencies),
  completePasswordReset(dependencies),
  createMerchant(dependencies),
  changeMerchant(dependencies),
  sendContactConfirmation(dependencies),
  showContactConfirmation(dependencies),
  confirmContactAddress(dependencies),
  showTeam(dependencies),
  invite(dependencies),
  withdrawInvitation(dependencies),
  changeRole(dependencies),
  removeMember(dependencies),
  showInvitation(dependencies),
  accept(dependencies),
  showCredentials(dependencies),
  createApiKey(dependencies),
  revokeKey(dependencies),
  revealSigningKey(dependencies),
  revealIdentitySecret(dependencies),
  replaceSecret(dependencies),
  changeLinking(dependencies),
  verifyMerchantOrigin(dependencies),
  showEventTypes(),
  showWebhooks(dependencies),
  createWebhook(dependencies),
  showWebhook(dependencies),
  changeWebhook(dependencies),
  pauseWebhook(dependencies),
  resumeWebhook(dependencies),
  enableWebhook(dependencies),
  testWebhook(dependencies),
  certifyWebhook(dependencies),
  showEarlierRewards(dependencies),
  sendEarlierRewardsNow(dependencies),
  previewNewReplay(dependencies),
  startReplay(dependencies),
  showReplays(dependencies),
  showReplay(dependencies),
  pauseRunningReplay(dependencies),
  resumePausedReplay(dependencies),
  cancelActiveReplay(dependencies),
  showDeliveries(dependencies),
  showDelivery(dependencies),
  retryDeliveryNow(dependencies),
  checkPastedSignature(dependencies),
  showOrders(dependencies),
  showOrder(dependencies),
  showRewards(dependencies),
  exportRewards(dependencies),
  grantReward(dependencies),
  adjustReward(dependencies),
  revokeReward(dependencies),
  showMembers(dependencies),
  exportMembers(dependencies),
  showMember(dependencies),
  mergeMember(dependencies),
  showReferrals(dependencies),
  exportReferrals(dependencies),
  showReferral(dependencies),
  acceptReferral(dependencies),
  rejectReferral(dependencies),
  moveReferral(dependencies),
  showProgram(dependencies),
  simulateProgram(dependencies),
  publishRule(dependencies),
  copyLiveProgram(dependencies),
  showHome(dependencies),
  showProblems(dependencies),
  showMatches(dependencies),
  showAudit(dependencies),
  showAuditFilters(dependencies),
  createSample(dependencies),
  showSample(dependencies),
  endSampleHold(dependencies),
  showTestData(dependencies),
  wipeTestData(dependencies),
];
