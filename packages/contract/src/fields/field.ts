/** A string of `minLength` to `maxLength` code points, without NUL and lone surrogates. */
export interface TextField {
  readonly kind: 'text';
  readonly required: boolean;
  readonly minLength: 0 | 1;
  readonly maxLength: number;
  /** What an absent optional field becomes; without it the field stays absent. */
  readonly default?: string;
}

/** A string of exactly `length` hexadecimal characters of either case. */
export interface HexField {
  readonly kind: 'hex';
  readonly required: boolean;
  readonly length: number;
}

/** A whole number of `min` to 2^53−1. */
export interface IntegerField {
  readonly kind: 'integer';
  readonly required: true;
  readonly min: number;
}

/** `true` or `false`. */
export interface BooleanField {
  readonly kind: 'boolean';
  readonly required: false;
  readonly default: boolean;
}

/** A date-time as `readDateTime` takes it. An optional one may be null, and is null when absent. */
export interface DateTimeField {
  readonly kind: 'date_time';
  readonly required: boolean;
  /** `optional`: without an offset the merchant's time zone counts. */
  readonly offset: 'required' | 'optional';
}

/** An array; its elements are judged one by one elsewhere. An absent one is empty. */
export interface ListField {
  readonly kind: 'list';
  readonly required: false;
}

/** The rule of one field: the only place where it is written down. */
export type Field = TextField | HexField | IntegerField | BooleanField | DateTimeField | ListField;

type FieldOf<Value> = [Value] extends [boolean]
  ? BooleanField
  : [Value] extends [number]
    ? IntegerField
    : [Value] extends [readonly unknown[]]
      ? ListField
      : null extends Value
        ? DateTimeField & { readonly required: false }
        : TextField | HexField | (DateTimeField & { readonly required: true });

/** The table of an object's fields: every property of `T` with a rule that yields its type. */
export type Fields<T> = { readonly [Name in keyof T]-?: FieldOf<Exclude<T[Name], undefined>> };
