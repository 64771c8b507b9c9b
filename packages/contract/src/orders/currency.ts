const codes = new Set(Intl.supportedValuesOf('currency'));

/** Why a value is no currency: it is ignored, with a warning, since shops may have sent such a field before it had a meaning. */
export const unknownCurrency = Symbol('unknown currency');

/**
 * Reads the currency of an order: a code of ISO 4217 in any case. Null for won, which an absent or null currency means too;
 * {@link unknownCurrency} for any other value.
 */
export function readCurrency(value: unknown): string | null | typeof unknownCurrency {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length !== 3) return unknownCurrency;
  const code = value.toUpperCase();
  if (!codes.has(code)) return unknownCurrency;
  return code === 'KRW' ? null : code;
}
