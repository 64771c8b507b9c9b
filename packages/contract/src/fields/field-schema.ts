import type { Field, Fields } from './field.ts';
import { objectSchema } from '../json/json-schema.ts';
import type { JsonSchema } from '../json/json-schema.ts';

/** The JSON Schema of an object with these fields, which accepts what the validation of the table accepts. */
export function fieldsSchema<T>(
  fields: Fields<T>,
  descriptions: { [Name in keyof T]-?: string },
  lists: Partial<Record<keyof T, JsonSchema>> = {},
): JsonSchema {
  const names = Object.keys(fields) as (keyof T & string)[];
  const properties = names.map((name) => {
    const field: Field = fields[name];
    const schema = field.kind === 'list' ? { ...lists[name], default: [] } : fieldSchema(field);
    return [name, { ...schema, description: descriptions[name] }] as const;
  });
  const optional = names.filter((name) => !fields[name].required);
  return objectSchema(Object.fromEntries(properties), { optional });
}

const dateTime = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?';
const offset = '(Z|[+-]\\d{2}(:?\\d{2})?)';

function fieldSchema(field: Exclude<Field, { kind: 'list' }>): JsonSchema {
  switch (field.kind) {
    case 'text': {
      const { minLength, maxLength, default: byDefault } = field;
      return {
        type: 'string',
        minLength,
        maxLength,
        ...(byDefault === undefined ? {} : { default: byDefault }),
      };
    }
    case 'hex':
      return { type: 'string', pattern: `^[0-9A-Fa-f]{${field.length}}$` };
    case 'integer':
      return { type: 'integer', minimum: field.min, maximum: Number.MAX_SAFE_INTEGER };
    case 'boolean':
      return { type: 'boolean', default: field.default };
    case 'date_time': {
      // Not the format date-time: seconds, and often the offset, may be left out.
      const pattern = `^${dateTime}${offset}${field.offset === 'optional' ? '?' : ''}$`;
      return field.required
        ? { type: 'string', pattern }
        : { type: ['string', 'null'], pattern, default: null };
    }
  }
}
