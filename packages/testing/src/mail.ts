// A mail server that keeps what it receives.
export { findLink, startMailServer } from './mail-server.ts';
export type { MailServer, ReceivedMail } from './mail-server.ts';
