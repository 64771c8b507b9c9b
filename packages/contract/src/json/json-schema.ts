/** A JSON Schema (draft 2020-12), as it is published. */
export type JsonSchema = { readonly [keyword: string]: unknown };

declare const described: unique symbol;

/** A schema that carries the type of the values that it describes. The type exists for the compiler only. */
export type Schema<T> = JsonSchema & { readonly [described]: T };

/** The type of the values that a schema describes. */
export type TypeOf<S extends Schema<unknown>> = S[typeof described];

type Properties = Record<string, Schema<unknown>>;
type ObjectOf<P extends Properties, Optional extends keyof P> = Flat<
  { [Name in Exclude<keyof P, Optional>]: TypeOf<P[Name]> } & { [Name in Optional]?: TypeOf<P[Name]> }
>;
type Flat<T> = { [Name in keyof T]: T[Name] };

/** A schema that no function below makes. Nothing checks that it describes values of the type. */
export const schemaOf = <T>(schema: JsonSchema): Schema<T> => schema as Schema<T>;

/** An object whose properties are all required, except `optional` ones. Others are allowed: later releases add fields. */
export function objectSchema<P extends Properties, Optional extends keyof P & string = never>(
  properties: P,
  { description, optional = [] }: { description?: string; optional?: Optional[] } = {},
): Schema<ObjectOf<P, Optional>> {
  const required = Object.keys(properties).filter((name) => !optional.includes(name as Optional));
  return schemaOf({
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties,
    ...(required.length === 0 ? {} : { required }),
  });
}

/** An object that can have further fields, which depend on one of those that are described. */
export const openSchema = <T>(schema: Schema<T>): Schema<T & Record<string, unknown>> =>
  schemaOf({ ...schema, additionalProperties: true });

/** A list. The keywords are published in the order in which they are given. */
export const arraySchema = <T>(keywords: { items: Schema<T>; [keyword: string]: unknown }): Schema<T[]> =>
  schemaOf({ type: 'array', ...keywords });

/** A string. Its type can be narrower than what is published, where later releases add values. */
export const textSchema = <T extends string = string>(
  description: string,
  more: JsonSchema = {},
): Schema<T> => schemaOf({ type: 'string', description, ...more });

/** The URL of something. */
export const urlSchema = (description: string): Schema<string> =>
  schemaOf({ type: 'string', format: 'uri', description });

/** True or false. */
export const flagSchema = (description: string): Schema<boolean> =>
  schemaOf({ type: 'boolean', description });

/** An integer of at least `minimum`. */
export const integerSchema = (description: string, minimum = 0): Schema<number> =>
  schemaOf({ type: 'integer', minimum, description });

/** An identifier that the service makes, such as `evt_…`. */
export const idSchema = (prefix: string, description: string): Schema<string> =>
  schemaOf({ type: 'string', pattern: `^${prefix}_[0-9A-Za-z]+$`, description });

/** A date-time in UTC; with `digits`, with exactly that number of digits after the second. */
export function timeSchema(description: string, digits?: 3 | 6): Schema<string> {
  const fraction = digits === undefined ? '\\d{3}(\\d{3})?' : `\\d{${digits}}`;
  const pattern = `^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.${fraction}Z$`;
  return schemaOf({ type: 'string', format: 'date-time', pattern, description });
}

/** One of some values. */
export const optionSchema = <const Option extends string>(
  options: readonly Option[],
  description: string,
): Schema<Option> => schemaOf({ type: 'string', enum: options, description });

/** A schema that also allows null. */
export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const { type, enum: options } = schema;
  return schemaOf({
    ...schema,
    type: [...(Array.isArray(type) ? (type as string[]) : [type]), 'null'],
    ...(Array.isArray(options) ? { enum: [...(options as unknown[]), null] } : {}),
  });
}
