import type Joi from 'joi';
import type { JsonSchema } from '@rewardhook/contract';

/** A parameter of a query, as in an OpenAPI document. */
export interface QueryParameter {
  name: string;
  in: 'query';
  required: false;
  description?: string;
  example?: unknown;
  schema: JsonSchema;
}

/** The part of `Joi.Description` that is read here. */
interface FieldDescription {
  type: string;
  flags?: { default?: unknown; only?: boolean; description?: string };
  allow?: unknown[];
  rules?: { name: string; args?: { limit?: number } }[];
  metas?: { schema?: JsonSchema }[];
  examples?: unknown[];
}

/** The parameters that a query schema accepts: those that validate the request. */
export function queryParameters(query: Joi.ObjectSchema): QueryParameter[] {
  const { keys = {} } = query.describe() as { keys?: Record<string, FieldDescription> };
  return Object.entries(keys).map(([name, field]) => {
    const { description } = field.flags ?? {};
    const [example] = field.examples ?? [];
    return {
      name,
      in: 'query',
      required: false,
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example }),
      schema: joiSchema(name, field),
    };
  });
}

/** The JSON Schema of an object of Joi fields. Unknown fields are ignored, so they are allowed. */
export function joiObjectSchema(object: Joi.ObjectSchema): JsonSchema {
  const { keys = {} } = object.describe() as { keys?: Record<string, FieldDescription> };
  const properties = Object.entries(keys).map(([name, field]) => {
    const { description } = field.flags ?? {};
    return [name, { ...joiSchema(name, field), ...(description === undefined ? {} : { description }) }];
  });
  return { type: 'object', properties: Object.fromEntries(properties) as JsonSchema };
}

/** In a query a list is written as one text. */
function defaultOf(value: unknown): JsonSchema {
  if (value === undefined || value === null) return {};
  return { default: Array.isArray(value) ? value.join(',') : value };
}

function joiSchema(
  name: string,
  { type, flags = {}, allow, rules = [], metas = [] }: FieldDescription,
): JsonSchema {
  const byDefault = defaultOf(flags.default);
  const declared = metas.find(({ schema }) => schema !== undefined)?.schema;
  if (declared) return { ...declared, ...byDefault };
  if (type === 'boolean') return { type, ...byDefault };
  if (type !== 'string') throw new Error(`the field ${name} has no JSON Schema: give it one with meta()`);
  const limitOf = (rule: string) => rules.find((one) => one.name === rule)?.args?.limit;
  const [minLength, maxLength] = [limitOf('min'), limitOf('max')];
  return {
    type,
    ...(flags.only ? { enum: allow } : {}),
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...byDefault,
  };
}
