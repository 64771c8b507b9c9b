import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { invalidField } from '../http/console-error.ts';

/** Characters of a password that are checked; the rest is ignored, since the time grows with the length. */
const longestChecked = 40;
/** Of 0 to 4: 3 takes 10⁸ guesses or more. */
const leastScore = 3;

let checker: Promise<ZxcvbnFactory> | undefined;

/** Lists of common passwords and words: 24 MB, loaded when somebody chooses the first password. */
async function openChecker(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { dictionary, adjacencyGraphs: graphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new Factory({ dictionary, graphs, maxLength: longestChecked });
}

/**
 * Refuses a password that is easy to guess, whatever its length: a common one, one of repeated characters, a row of
 * keys, or one built from the user's e-mail address or the name of this product.
 * @throws ConsoleError `invalid_request` for the field
 */
export async function requireStrongPassword(field: string, password: string, email: string): Promise<void> {
  checker ??= openChecker();
  const own = [email, ...email.split(/[@.+_-]/), 'rewardhook'].filter((word) => word.length > 2);
  const { score, feedback } = (await checker).check(password.slice(0, longestChecked), own);
  if (score < leastScore) throw invalidField(field, problemOf(feedback.warning));
}

function problemOf(warning: string | null) {
  if (warning === 'userInputs') return 'password_own_words';
  if (warning === 'simpleRepeat' || warning === 'extendedRepeat') return 'password_repetitive';
  return 'password_guessable';
}
