import { booleanArray, jsonTextArray, numberArray, textArray } from './sql-arrays.ts';

/*
 * The columns of rows that a statement takes as one array each, for `unnest($2::text[], $3::integer[], …)`. They are listed once:
 * the types of the parameters, the type of a row and the arrays follow from the list. One JSON document instead took PostgreSQL a
 * third of the statement to parse (docs/measurements.md).
 */

/** A column: the type of its array in PostgreSQL, and how its values are written as one. */
interface Column<Value> {
  type: `${string}[]`;
  write: (values: Value[]) => string;
}

export const text: Column<string | null> = { type: 'text[]', write: textArray };
/** JSON that is stored as a text, byte for byte. */
export const printedJson: Column<string | null> = { type: 'text[]', write: jsonTextArray };
export const uuid: Column<string> = { type: 'uuid[]', write: textArray };
/** ISO 8601. */
export const timestamptz: Column<string | null> = { type: 'timestamp with time zone[]', write: textArray };
export const integer: Column<number | null> = { type: 'integer[]', write: numberArray };
export const bigint: Column<number | null> = { type: 'bigint[]', write: numberArray };
export const doublePrecision: Column<number | null> = { type: 'double precision[]', write: numberArray };
export const boolean: Column<boolean> = { type: 'boolean[]', write: booleanArray };
export const json: Column<object | null> = { type: 'json[]', write: jsonArray };
export const jsonb: Column<object | null> = { type: 'jsonb[]', write: jsonArray };

function jsonArray(values: (object | null)[]): string {
  return jsonTextArray(values.map((value) => value && JSON.stringify(value)));
}

/** Lists the columns of a row, in the order of the statement's parameters: its text reads the arrays in this order. */
export function rowColumns<Row>(columns: { [Name in keyof Row]-?: Column<Row[Name]> }): {
  /** The types of the parameters. */
  types: `${string}[]`[];
  /** The parameters. */
  arraysOf: (rows: readonly Row[]) => string[];
} {
  const listed = Object.entries(columns) as [keyof Row, Column<unknown>][];
  return {
    types: listed.map(([, { type }]) => type),
    arraysOf: (rows) => listed.map(([name, { write }]) => write(rows.map((row) => row[name]))),
  };
}
