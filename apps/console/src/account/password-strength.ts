import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { invalidField } from '../http/console-error.ts';

/** The number of characters that are checked; the time grows with the length. */
const maxCheckedLength = 40;
/** On a scale from 0 to 4; 3 means at least 10⁸ guesses. */
const minScore = 3;

let checker: Promise<ZxcvbnFactory> | undefined;

/** Loads the lists of common passwords and words (24 MB) when the first password is chosen. */
async function openChecker(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new Factory({ dictionary, graphs, maxLength: maxCheckedLength });
}

/**
 * Refuses a password that is easy to guess, whatever its length: a common password, repeated characters, adjacent
 * keys, or one that is built from the user's e-mail address or the name of this product.
 * @throws ConsoleError `invalid_request` for the field
 */
export async function requireStrongPassword(field: string, password: string, email: string): Promise<void> {
  checker ??= openChecker();
  const own = [email, ...email.split(/[@.+_-]/), 'rewardhook'].filter((word) => word.length > 2);
  const { score, feedback } = (await checker).check(password.slice(0, maxCheckedLength), own);
  if (score < minScore) throw invalidField(field, problemOf(feedback.warning));
}

function problemOf(warning: string | null) {
  if (warning === 'userInputs') return 'password_own_words';
  if (warning === 'simpleRepeat' || warning === 'extendedRepeat') return 'password_repetitive';
  return 'password_guessable';
}
