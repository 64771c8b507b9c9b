// Compares answers with JSON Schema and with the OpenAPI document.
export { compileJsonSchema } from './json-schema.ts';
export type { SchemaValidator } from './json-schema.ts';
export { openAnswerCheck } from './openapi/check-answer.ts';
export type { CheckAnswer, ObservedAnswer } from './openapi/check-answer.ts';
export { observeAnswers } from './openapi/observe-answers.ts';
