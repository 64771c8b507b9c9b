/** A text in both languages. What lacks one does not compile. */
export type Pair = readonly [english: string, korean: string];

/** Texts by key. `t('orders.lead')` is the text `lead` in the group `orders`. */
export interface Pairs {
  [key: string]: Pair | Pairs;
}

export const isPair = (value: Pair | Pairs): value is Pair => Array.isArray(value);

/** The pairs of a catalogue that has English texts, by code. A code without a Korean text does not compile. */
export function withKorean<Code extends string, Field extends string>(
  field: Field,
  catalogue: Record<Code, Record<Field, string>>,
  korean: Record<NoInfer<Code>, string>,
): Record<Code, Pair> {
  const texts = Object.entries<Record<Field, string>>(catalogue) as [Code, Record<Field, string>][];
  const pairs = texts.map(([code, english]): [Code, Pair] => [code, [english[field], korean[code]]]);
  return Object.fromEntries(pairs) as Record<Code, Pair>;
}
