import { readDateTime } from './date-time.ts';
import type { Field, Fields } from './field.ts';
import type { LocalOffset } from './local-offset.ts';
import { textProblem } from './text.ts';

/** Gives the canonical value of a field (its default when absent), or undefined when it is not plainly valid. */
export type Reader<Value> = (value: unknown, localOffset: LocalOffset) => Value | undefined;

/** One reader for each field of a table. */
export type Readers<T> = { readonly [Name in keyof T]: Reader<T[Name]> };

/**
 * Builds the readers of a table: the quick reading of the rules that `compileSchema` states in Joi. They accept
 * exactly what Joi accepts (property-tested) at a tenth of the time, and say nothing about what is wrong. A
 * table read this way has only fields that are required or have a default.
 */
export function compileReaders<T>(fields: Fields<T>): Readers<T> {
  const readers = Object.entries<Field>(fields).map(([name, field]) => [name, readerOf(field)]);
  return Object.fromEntries(readers) as Readers<T>;
}

function readerOf(field: Field): Reader<unknown> {
  switch (field.kind) {
    case 'text':
      return textReader(field.minLength, field.maxLength, field.default);
    case 'integer':
      return integerReader(field.min);
    case 'boolean':
      return booleanReader(field.default);
    case 'date_time':
      return field.required ? requiredDateTime(field.offset) : optionalDateTime(field.offset);
    case 'list':
      return (value) => (value === undefined ? [] : Array.isArray(value) ? value : undefined);
    case 'hex':
      throw new TypeError('A hex field has no quick reader');
  }
}

function textReader(minLength: 0 | 1, maxLength: number, fallback: string | undefined): Reader<string> {
  return (value) => {
    if (typeof value !== 'string') return value === undefined ? fallback : undefined;
    return textProblem(value, minLength, maxLength) === undefined ? value : undefined;
  };
}

function integerReader(min: number): Reader<number> {
  return (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) return undefined;
    return value + 0; // makes 0 of -0
  };
}

function booleanReader(fallback: boolean): Reader<boolean> {
  return (value) => (typeof value === 'boolean' ? value : value === undefined ? fallback : undefined);
}

function requiredDateTime(offset: 'required' | 'optional'): Reader<string> {
  return (value, localOffset) => {
    if (typeof value !== 'string') return undefined;
    const read = readDateTime(value, offset === 'optional' ? localOffset : undefined);
    return typeof read === 'string' ? read : undefined;
  };
}

function optionalDateTime(offset: 'required' | 'optional'): Reader<string | null> {
  const read = requiredDateTime(offset);
  return (value, localOffset) => (value === undefined || value === null ? null : read(value, localOffset));
}
