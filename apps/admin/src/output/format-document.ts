import { widthOf } from './width-of.ts';

/*
 * A document of a command as text for a terminal. Every value is written in full: a secret that was cut could not be used. What is
 * too wide for a table is written as a list of records.
 */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type JsonObject = Record<string, Json>;

const indent = '  ';
/** Between two columns. */
const gap = '  ';

/** Formats a JSON document for a terminal of this many columns. Ends without a line break. */
export function formatDocument(json: string, columns: number): string {
  return linesOf(JSON.parse(json) as Json, columns).join('\n');
}

function linesOf(value: Json, columns: number): string[] {
  if (Array.isArray(value)) return value.length === 0 ? ['none'] : listOf(value, columns);
  return isObject(value) ? fieldsOf(value, columns) : [textOf(value)];
}

/** The fields of an object, one a line. Objects and lists of objects are sections of their own. */
function fieldsOf(object: JsonObject, columns: number): string[] {
  const entries = Object.entries(object);
  const width = Math.max(0, ...entries.filter(([, value]) => isShort(value)).map(([name]) => widthOf(name)));
  return entries.flatMap(([name, value]) => {
    if (isShort(value)) return [`${padded(name, width)}${gap}${textOf(value)}`];
    const count = Array.isArray(value) ? ` (${value.length})` : '';
    return [`${name}${count}`, ...linesOf(value, columns - indent.length).map((line) => indent + line)];
  });
}

/** A table when all are objects and it fits, otherwise one record after the other. */
function listOf(values: Json[], columns: number): string[] {
  if (!values.every(isObject)) return values.flatMap((value) => linesOf(value, columns));
  const names = [...new Set(values.flatMap((value) => Object.keys(value)))];
  const rows = [names, ...values.map((value) => names.map((name) => textOf(value[name] ?? null)))];
  const widths = names.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  const total = widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
  if (total > columns)
    return values.flatMap((value, index) => [...(index === 0 ? [] : ['']), ...fieldsOf(value, columns)]);
  return rows.map((row) =>
    row
      .map((text, column) => padded(text, widths[column] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

const padded = (text: string, width: number): string => text + ' '.repeat(width - widthOf(text));

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is written behind its name: all but objects and lists that contain some. */
const isShort = (value: Json): boolean =>
  Array.isArray(value) ? !value.some((item) => typeof item === 'object' && item !== null) : !isObject(value);

/** A value in one line. */
function textOf(value: Json): string {
  if (value === null) return '–';
  if (Array.isArray(value) && isShort(value))
    return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Shows control characters by their codes: those of stored texts must not reach the terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
