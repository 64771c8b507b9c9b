import type { ConsoleDependencies } from './dependencies.ts';
import { changeLinking, createApiKey, revokeKey } from './credentials/change-credentials.ts';
import { revealIdentitySecret, revealSigningKey } from './credentials/reveal.ts';
import { verifyOwnOrigin } from './credentials/verify-origin.ts';
import { showCredentials } from './credentials/show-credentials.ts';
import { retryNow, showDeliveries, showDelivery } from './deliveries/delivery-routes.ts';
import { showHome } from './home/home-route.ts';
import type { Route } from './http/route.ts';
import { confirmContactAddress, showContactConfirmation } from './auth/contact-confirmations.ts';
import {
  changeMerchant,
  changeMerchantOfSession,
  changeOwnPassword,
  sendContactConfirmation,
  showSession,
  signOut,
} from './auth/session-routes.ts';
import { forgotPassword, setPasswordAnew, showPasswordReset } from './auth/password-resets.ts';
import { signIn } from './auth/sign-in.ts';
import { createMerchant, finishSignUp, showSignUp, signUp } from './auth/sign-up.ts';
import { showTimeZones } from './auth/time-zones.ts';
import {
  exportMembers,
  exportReferrals,
  showMember,
  showMembers,
  showReferrals,
} from './members/member-routes.ts';
import { acceptReferral, rejectReferral, showReferral } from './members/referral-routes.ts';
import { showOrder, showOrders } from './orders/order-routes.ts';
import { publishRule, showProgram, simulateProgram } from './program/program-routes.ts';
import { exportRewards, showRewards } from './rewards/reward-routes.ts';
import { checkPastedSignature } from './signature-check/signature-route.ts';
import { accept, invite, showInvitation } from './team/invitations.ts';
import { changeRole, removeMember, showTeam, withdrawInvitation } from './team/team-routes.ts';
import { enableWebhook, pauseWebhook, resumeWebhook, testWebhook } from './webhooks/control-routes.ts';
import {
  cancelWholeReplay,
  pauseRunningReplay,
  previewOfReplay,
  resumePausedReplay,
  showReplay,
  showReplays,
  startReplay,
} from './webhooks/replay-routes.ts';
import {
  changeWebhook,
  createWebhook,
  showEventTypes,
  showWebhook,
  showWebhooks,
} from './webhooks/webhook-routes.ts';

/** Every route of the API. Of two that fit a path the first is taken. */
export const routesOf = (parts: ConsoleDependencies): Route[] => [
  showTimeZones(parts),
  signUp(parts),
  showSignUp(parts),
  finishSignUp(parts),
  signIn(parts),
  signOut(parts),
  showSession(parts),
  changeMerchantOfSession(parts),
  changeOwnPassword(parts),
  forgotPassword(parts),
  showPasswordReset(parts),
  setPasswordAnew(parts),
  createMerchant(parts),
  changeMerchant(parts),
  sendContactConfirmation(parts),
  showContactConfirmation(parts),
  confirmContactAddress(parts),
  showTeam(parts),
  invite(parts),
  withdrawInvitation(parts),
  changeRole(parts),
  removeMember(parts),
  showInvitation(parts),
  accept(parts),
  showCredentials(parts),
  createApiKey(parts),
  revokeKey(parts),
  revealSigningKey(parts),
  revealIdentitySecret(parts),
  changeLinking(parts),
  verifyOwnOrigin(parts),
  showEventTypes(),
  showWebhooks(parts),
  createWebhook(parts),
  showWebhook(parts),
  changeWebhook(parts),
  pauseWebhook(parts),
  resumeWebhook(parts),
  enableWebhook(parts),
  testWebhook(parts),
  previewOfReplay(parts),
  startReplay(parts),
  showReplays(parts),
  showReplay(parts),
  pauseRunningReplay(parts),
  resumePausedReplay(parts),
  cancelWholeReplay(parts),
  showDeliveries(parts),
  showDelivery(parts),
  retryNow(parts),
  checkPastedSignature(parts),
  showOrders(parts),
  showOrder(parts),
  showRewards(parts),
  exportRewards(parts),
  showMembers(parts),
  exportMembers(parts),
  showMember(parts),
  showReferrals(parts),
  exportReferrals(parts),
  showReferral(parts),
  acceptReferral(parts),
  rejectReferral(parts),
  showProgram(parts),
  simulateProgram(parts),
  publishRule(parts),
  showHome(parts),
];
