export { mailDelaySeconds, MailFailure } from './mail-failure.ts';
export { mailSettings } from './mail-settings.ts';
export type { MailSettings } from './mail-settings.ts';
export { oneLine, writeSections } from './mail-text.ts';
export type { MailSection } from './mail-text.ts';
export { longestMailMs, openConfiguredMailer, openMailer } from './mailer.ts';
export type { Mail, Mailer, MailerOptions, MailText } from './mailer.ts';
