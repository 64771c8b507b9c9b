import { distance } from 'fastest-levenshtein';

/** Longer names are not compared: no known name is nearly as long. */
const MAX_LENGTH = 40;

/**
 * The known name that a misspelled one probably stands for: the same but for case, separators and a third of its
 * letters (`canceled_at`, `paidAt`). Undefined when none is similar.
 */
export function similarName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const letters = lettersOf(name);
  let best: string | undefined;
  let least = Math.min(3, 1 + Math.floor(letters.length / 4));
  for (const candidate of known) {
    const edits = distance(letters, lettersOf(candidate));
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[_\-. ]/g, '');
