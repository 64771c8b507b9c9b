export { CursorError } from './page.ts';
export type { PageOf, PageRequest } from './page.ts';
export { changePassword, findUser, findUserByEmail, isEmailTaken, plainEmail } from './users.ts';
export type { NewUser, User } from './users.ts';
export { chooseMerchant, deleteSession, findSession, insertSession } from './sessions.ts';
export type { NewSession, Session, SessionTimes } from './sessions.ts';
export { changeTeam, listMemberships, listTeam } from './memberships.ts';
export type { MembershipOf, TeamChange, TeamMemberRow } from './memberships.ts';
export {
  acceptInvitation,
  findInvitation,
  insertInvitation,
  listInvitations,
  openInvitationLink,
  revokeInvitation,
} from './invitations.ts';
export type { InvitationLink, InvitationRow, NewInvitation, OpenInvitationRow } from './invitations.ts';
export { claimAccountMail, endAccountMail, postponeAccountMail, queueAccountMail } from './account-mails.ts';
export type { AccountMailKind, ClaimedAccountMail, NewAccountMail } from './account-mails.ts';
export { completeSignUp, findSignUp, openSignUp } from './sign-ups.ts';
export type { OpenedSignUp } from './sign-ups.ts';
export {
  confirmContact,
  findContactConfirmation,
  findPendingContact,
  openContactConfirmation,
  resendContactConfirmation,
} from './contact-confirmations.ts';
export { hashLinkToken } from './link-token.ts';
export { newInvitation } from './new-invitation.ts';
export { findPasswordReset, openPasswordReset, resetPassword } from './password-resets.ts';
export type { OpenedReset } from './password-resets.ts';
export { readDelivery, searchDeliveries } from './deliveries.ts';
export type { AttemptOf, DeliveryRow, DeliverySearch, DeliveryStory } from './deliveries.ts';
export { findWebhook, listWebhooks, updateEndpoint } from './webhooks.ts';
export type { WebhookRow } from './webhooks.ts';
export { readOrder, searchOrders } from './orders.ts';
export type { OrderListRow, OrderRow } from './orders.ts';
export { findReplayRow, searchReplays } from './replays.ts';
export type { ReplayListRow } from './replays.ts';
export { searchRewards } from './rewards.ts';
export type { RewardListRow, RewardSearch } from './rewards.ts';
export { searchMembers, searchReferrals } from './members.ts';
export type { MemberRow, ReferralRow, ReferralSearch } from './members.ts';
export { readChecklist, readHome } from './home.ts';
export type { Buckets, Checklist, Figures, HomeRow } from './home.ts';
export { findEventBody, listKeysToCheck, noteSignatureChecked } from './signature-checks.ts';
export type { CheckedKey } from './signature-checks.ts';
