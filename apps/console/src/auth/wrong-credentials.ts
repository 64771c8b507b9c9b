import { ConsoleError } from '../http/console-error.ts';

/** 401, in the same words whether the e-mail is unknown or the password wrong. */
export function wrongCredentials(): ConsoleError {
  return new ConsoleError('wrong_credentials', 'This e-mail and password do not go together.');
}
