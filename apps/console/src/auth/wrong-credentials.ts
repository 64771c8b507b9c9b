import { ConsoleError, refuse } from '../http/console-error.ts';

/** 401, in the same words whether the e-mail is unknown or the password wrong. */
export function wrongCredentials(): ConsoleError {
  return refuse('wrong_credentials');
}
