import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Returns what is wrong with a value: `/data/reward/id must be string`. Empty when it is valid. */
export type SchemaValidator = (value: unknown) => string[];

/**
 * Compiles a JSON Schema (draft 2020-12), formats included. @throws for a schema that is not valid or has unknown keywords
 */
export function compileJsonSchema(schema: object): SchemaValidator {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  // The module is CommonJS: its default export is in `default`.
  (addFormats as unknown as { default: (to: Ajv2020) => void }).default(ajv);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(describeError));
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}
