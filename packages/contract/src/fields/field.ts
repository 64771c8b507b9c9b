/** A string of `minLength` to `maxLength` code points, without NUL and lone surrogates. */
export interface TextField {
  readonly kind: 'text';
  readonly required: boolean;
  readonly minLength: 0 | 1;
  readonly maxLength: number;
  /** The value of an absent optional field. Without a default it stays absent. */
  readonly default?: string;
}

/** A string of exactly `length` hexadecimal characters of either case. */
export interface HexField {
  readonly kind: 'hex';
  readonly required: boolean;
  readonly length: number;
}

/** An integer from `min` to 2^53−1. */
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

/** A date-time that `readDateTime` accepts. An optional one may be null, and is null when absent. */
export interface DateTimeField {
  readonly kind: 'date_time';
  readonly required: boolean;
  /** `optional`: a date-time without an offset is in the time zone of the merchant. */
  readonly offset: 'required' | 'optional';
}

/** An array, whose elements are validated separately. An absent one is empty. */
export interface ListField {
  readonly kind: 'list';
  readonly required: false;
}

/** The rule of one field. Both the Joi schema and the fast readers are compiled from it. */
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

/** The table of the fields of an object: for every property of `T` a rule that yields its type. */
export type Fields<T> = { readonly [Name in keyof T]-?: FieldOf<Exclude<T[Name], undefined>> };
