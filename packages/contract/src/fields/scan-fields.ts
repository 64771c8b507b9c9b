import { compileReaders } from './readers.ts';
import type { Reader } from './readers.ts';
import type { Field, Fields } from './field.ts';

/** A field of a table, for finding it in the bytes of JSON and validating its value there. */
export interface ScanField {
  /** The name as JSON, in quotes. */
  readonly name: Uint8Array;
  /** The bit of this field in a set of fields. */
  readonly bit: number;
  readonly kind: Exclude<Field['kind'], 'hex'>;
  /** The least length in bytes of a text, or the least integer. */
  readonly least: number;
  /** A text of at most this number of bytes is not too long: a character has one or more. */
  readonly mostBytes: number;
  readonly read: Reader<unknown>;
  /** What completes an object without this field: a comma, the name and its default, as JSON. */
  readonly absent: Buffer;
}

/** The fields of an object, in the order of their table. */
export interface ScanFields {
  readonly fields: readonly ScanField[];
  /** The bits of the required fields. */
  readonly required: number;
}

/** Compiles a table for `scanOrders`. */
export function compileScanFields<T>(table: Fields<T>): ScanFields {
  const readers = compileReaders(table) as Record<string, Reader<unknown>>;
  const fields = Object.entries<Field>(table).map(([name, field], index): ScanField => {
    if (field.kind === 'hex') throw new TypeError('A hex field cannot be scanned');
    const read = readers[name] as Reader<unknown>;
    const fallback = field.required ? null : read(undefined, () => 0);
    return {
      name: new Uint8Array(Buffer.from(JSON.stringify(name))),
      bit: 1 << index,
      kind: field.kind,
      least: field.kind === 'text' ? field.minLength : field.kind === 'integer' ? field.min : 0,
      mostBytes: field.kind === 'text' ? field.maxLength : 0,
      read,
      absent: Buffer.from(`,${JSON.stringify(name)}:${JSON.stringify(fallback)}`),
    };
  });
  const required = Object.values<Field>(table).reduce(
    (bits, field, index) => (field.required ? bits | (1 << index) : bits),
    0,
  );
  return { fields, required };
}
