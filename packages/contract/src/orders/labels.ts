import { fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { foldText } from '../fields/fold-text.ts';
import { textProblem } from '../fields/text.ts';

/** The most labels of an order and of a product; of more, the first ones count. */
export const mostLabels = { ofOrder: 20, ofProduct: 10 } as const;

/** In characters, after folding. */
const longestLabel = 64;

/** Longer texts are not folded. Folding makes one character of at most 18. */
const longestUnfolded = 4 * longestLabel;

/** The labels of an order or a product as they are stored, and what is wrong with the value: by path below it, `''` for all of it. */
export interface ReadLabels {
  /** Folded, without duplicates, sorted by code units. */
  labels: string[];
  problems: { path: string; error: FieldError }[];
}

/** Folds a label; a text that is none has the error. */
export function readLabel(value: unknown): string | FieldError {
  if (typeof value !== 'string') return fieldError('not_a_string');
  if (value.length > longestUnfolded) return fieldError('too_long', { limit: longestLabel });
  if (!value.isWellFormed()) return fieldError('lone_surrogate');
  const folded = foldText(value);
  const problem = textProblem(folded, 1, longestLabel);
  if (problem === undefined) return folded;
  return problem === 'too_long' ? fieldError(problem, { limit: longestLabel }) : fieldError(problem);
}

/**
 * Reads the labels of an order or a product. A text alone is a list of one; null and absent are none, without a problem. What cannot be
 * read in a list is left out, of more than `most` the first ones count, and a value of another type counts as absent.
 */
export function readLabels(value: unknown, most: number): ReadLabels {
  if (value === undefined || value === null) return { labels: [], problems: [] };
  const values: unknown = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(values))
    return { labels: [], problems: [{ path: '', error: fieldError('not_an_array') }] };
  const problems: ReadLabels['problems'] = [];
  const labels = new Set<string>();
  for (const [index, one] of values.slice(0, most).entries()) {
    const label = readLabel(one);
    if (typeof label === 'string') labels.add(label);
    else problems.push({ path: typeof value === 'string' ? '' : `[${index}]`, error: label });
  }
  if (values.length > most) problems.push({ path: '', error: fieldError('too_many_items', { limit: most }) });
  return { labels: [...labels].toSorted(byCodeUnits), problems };
}

const byCodeUnits = (one: string, other: string) => (one < other ? -1 : Number(one > other));
