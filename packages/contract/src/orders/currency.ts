import type { FieldErrorCode } from '../fields/field-errors.ts';
import { textProblem } from '../fields/text.ts';
import { currencyCodes } from './currency-codes.ts';

/** The currency of an order as it is stored: null for won. `warning` says what is wrong with a value that is no code of ISO 4217. */
export interface OrderCurrency {
  currency: string | null;
  warning?: Extract<FieldErrorCode, 'unknown_currency' | 'read_as_won' | 'no_reward_currency'>;
}

const won: OrderCurrency = { currency: null };
const otherNamesOfWon = new Set(['₩', '원', 'WON', '410']);

/** ISO 4217 for "no currency": what is stored for a value that is no text of a currency. */
const noCurrency = 'XXX';

const maxLength = 20;

/** Longer texts are not folded. Folding makes one character of at most four, each of at most two code units. */
const longestFolded = maxLength * 8;

/**
 * Reads the currency of an order. A text is folded, a number counts as its digits. Absent, null and empty are won, as are the names of won.
 * All else is another currency, also what nobody understands: an order that may not be in won must not earn like one.
 */
export function readCurrency(value: unknown): OrderCurrency {
  if (value === undefined || value === null || value === 'KRW') return won;
  const code = foldedCode(value);
  if (code === 'KRW') return won;
  if (code === '') return { currency: null, warning: 'unknown_currency' };
  if (code !== undefined && otherNamesOfWon.has(code)) return { currency: null, warning: 'read_as_won' };
  if (code !== undefined && currencyCodes.has(code)) return { currency: code };
  return { currency: code ?? noCurrency, warning: 'no_reward_currency' };
}

/** The text of a currency: compatibility forms and letter case are folded, outer blanks removed. Undefined for a value that is none. */
function foldedCode(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  const trimmed = value.trim();
  if (trimmed.length > longestFolded) return undefined;
  const folded = trimmed.normalize('NFKC').toUpperCase().trim();
  return textProblem(folded, 0, maxLength) === undefined ? folded : undefined;
}
