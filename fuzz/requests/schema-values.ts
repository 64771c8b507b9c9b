import fc from 'fast-check';

/** A schema of docs/openapi.json, as far as it says how a request looks. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

/** Values that a field of this name may have, because something of the merchant has them. */
export type Known = Record<string, readonly string[]>;

const dates = [
  '2026-11-21T10:00:00+09:00',
  '2026-11-21T01:00:00Z',
  '20261121T100000+0900',
  '2026-11-21T10:00:00.123456789Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T00:00:00Z',
  '2026-10-25T02:30:00+02:00',
];

/** Values that keep a schema. */
export function valuesOf(
  schema: Schema,
  known: Known,
  resolve: (ref: string) => Schema,
  name = '',
): fc.Arbitrary<unknown> {
  const of = (inner: Schema, innerName = name) => valuesOf(inner, known, resolve, innerName);
  if (schema.$ref !== undefined) return of(resolve(schema.$ref));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => of({ ...schema, type })));
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([field, inner]) => [field, of(inner, field)] as const,
      );
      return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] });
    }
    case 'array':
      return fc.array(of(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'integer':
      return fc.oneof(
        fc.integer({
          min: Math.max(schema.minimum ?? 0, 0),
          max: Math.min(schema.maximum ?? 100_000, 100_000),
        }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER),
      );
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return textsOf(schema, known[name] ?? []);
  }
}

function textsOf(
  { pattern, format, minLength = 0, maxLength = 50 }: Schema,
  known: readonly string[],
): fc.Arbitrary<string> {
  if (format === 'date-time' || pattern?.includes(String.raw`\d{2}:`)) return fc.constantFrom(...dates);
  if (pattern?.includes('{64}'))
    return fc.string({
      unit: fc.constantFrom(...Array.from('0123456789abcdef')),
      minLength: 64,
      maxLength: 64,
    });
  const own = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 40) });
  return known.length > 0 ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, own) : own;
}
