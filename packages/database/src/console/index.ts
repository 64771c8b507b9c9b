export { CursorError } from './list-page.ts';
export type { PageOf, PageRequest } from './list-page.ts';
export {
  updatePassword,
  findUser,
  findUserByEmail,
  isEmailTaken,
  normalizeEmail,
} from '../accounts/users.ts';
export type { NewUser, User } from '../accounts/users.ts';
export { updateSessionMerchant, deleteSession, findSession, insertSession } from '../accounts/sessions.ts';
export type { NewSession, Session, SessionTimes } from '../accounts/sessions.ts';
export { updateMembership, listMemberships, listTeam } from '../accounts/memberships.ts';
export type { UserMembership, MembershipUpdate, TeamMemberRow } from '../accounts/memberships.ts';
export {
  acceptInvitation,
  findInvitation,
  insertInvitation,
  listInvitations,
  renewInvitationLink,
  revokeInvitation,
} from '../accounts/invitations.ts';
export type {
  InvitationLink,
  InvitationRow,
  NewInvitation,
  OpenInvitationRow,
} from '../accounts/invitations.ts';
export {
  claimAccountMail,
  deleteAccountMail,
  postponeAccountMail,
  insertAccountMail,
} from '../accounts/account-mails.ts';
export type { ClaimedAccountMail, NewAccountMail } from '../accounts/account-mails.ts';
export { completeSignUp, findSignUp, insertSignUp } from '../accounts/sign-ups.ts';
export type { SignUpLink } from '../accounts/sign-ups.ts';
export {
  confirmContact,
  findContactConfirmation,
  findPendingContact,
  renewContactConfirmation,
  resendContactConfirmation,
} from '../accounts/contact-confirmations.ts';
export { hashLinkToken } from '../accounts/link-token.ts';
export { newInvitation } from '../accounts/new-invitation.ts';
export { findPasswordReset, upsertPasswordReset, resetPassword } from '../accounts/password-resets.ts';
export type { PasswordResetLink } from '../accounts/password-resets.ts';
export { findDeliveryDetails, listDeliveriesPage } from './deliveries.ts';
export type { AttemptDetails, DeliveryRow, DeliverySearch, DeliveryDetails } from './deliveries.ts';
export { findEndpointDetails, listEndpointsPage } from './endpoints.ts';
export type { EndpointRow } from './endpoints.ts';
export { findOrderDetails, listOrdersPage } from './orders.ts';
export type { OrderListRow, OrderRow } from './orders.ts';
export { findReplayDetails, listReplaysPage } from './replays.ts';
export type { ReplayListRow } from './replays.ts';
export { listRewardsPage } from './rewards.ts';
export type { RewardListRow, RewardSearch } from './rewards.ts';
export { listMembersPage, listReferralsPage } from './members.ts';
export type { MemberRow, ReferralRow, ReferralSearch } from './members.ts';
export { findChecklist, summarizeActivity } from './activity.ts';
export type { Buckets, Checklist, ActivityFigures, ActivityRow } from './activity.ts';
export { findEventBody, listAllSigningKeys, recordSignatureChecked } from './signature-checks.ts';
export type { SealedSigningKey } from './signature-checks.ts';
