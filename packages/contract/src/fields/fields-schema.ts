import { objectSchema, schemaOf } from '../json/json-schema.ts';
import type { JsonSchema } from '../json/json-schema.ts';
import type { Fields } from './validate-fields.ts';

interface FieldDescription {
  flags?: { presence?: string; default?: unknown; description?: string };
  metas?: { schema?: JsonSchema }[];
}

/**
 * The JSON Schema of an object with these fields, which accepts what the validation accepts. It is read from the description of each
 * Joi schema: Joi's own JSON Schema leaves out rules that are functions. `lists` has the schemas of arrays.
 */
export function fieldsSchema<T>(
  fields: Fields<T>,
  descriptions: { [Name in keyof T]-?: string },
  lists: Partial<Record<keyof T, JsonSchema>> = {},
): JsonSchema {
  const names = Object.keys(fields) as (keyof T & string)[];
  const optional: string[] = [];
  const properties = names.map((name) => {
    const { flags = {}, metas = [] } = fields[name].describe() as FieldDescription;
    if (flags.presence !== 'required') optional.push(name);
    const schema = schemaOf<unknown>({
      ...Object.assign({}, ...metas.map((meta) => meta.schema ?? {}), lists[name] ?? {}),
      ...(flags.default === undefined ? {} : { default: flags.default }),
      description: descriptions[name],
    });
    return [name, schema] as const;
  });
  return objectSchema(Object.fromEntries(properties), { optional });
}
