/** A JSON Schema (draft 2020-12), as it is published. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** An object whose properties are all required, except `optional` ones. Others are allowed: later releases add fields. */
export function objectSchema(
  properties: Record<string, JsonSchema>,
  { description, optional = [] }: { description?: string; optional?: string[] } = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    properties,
    ...(required.length === 0 ? {} : { required }),
  };
}

/** A string. */
export const textSchema = (description: string, more: JsonSchema = {}): JsonSchema => ({
  type: 'string',
  description,
  ...more,
});

/** An integer of at least `minimum`. */
export const integerSchema = (description: string, minimum = 0): JsonSchema => ({
  type: 'integer',
  minimum,
  description,
});

/** An identifier that the service makes, such as `evt_…`. */
export function idSchema(prefix: string, description: string): JsonSchema {
  return { type: 'string', pattern: `^${prefix}_[0-9A-Za-z]+$`, description };
}

/** A date-time in UTC; with `digits`, with exactly that number of digits after the second. */
export function timeSchema(description: string, digits?: 3 | 6): JsonSchema {
  const fraction = digits === undefined ? '\\d{3}(\\d{3})?' : `\\d{${digits}}`;
  const pattern = `^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.${fraction}Z$`;
  return { type: 'string', format: 'date-time', pattern, description };
}

/** One of some values. */
export const optionSchema = (options: readonly string[], description: string): JsonSchema => ({
  type: 'string',
  enum: options,
  description,
});

/** A schema that also allows null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: options } = schema;
  return {
    ...schema,
    type: [...(Array.isArray(type) ? (type as string[]) : [type]), 'null'],
    ...(Array.isArray(options) ? { enum: [...(options as unknown[]), null] } : {}),
  };
}
