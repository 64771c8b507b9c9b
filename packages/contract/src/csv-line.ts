/** A value of a CSV file; null is an empty cell. */
export type CsvCell = string | number | bigint | null;

/** One line of a CSV file (RFC 4180) with its line break. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, "CSV Injection"); so does a part
 * of it that would be a cell of its own in a program which separates by something else than the comma. Numbers are ours
 * and stay numbers.
 */
function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const safe = cell.replace(formulas, "$1'$2").replace(/^[\t\r\n]/, "'$&");
  return /[",;|\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * What begins a cell, and what begins a formula in it: also in full width, as Excel takes it in East Asian languages, and
 * after what is skipped before it (white space, control and invisible characters, quotation marks).
 */
const formulas = /(^|[,;|\t\r\n])((?:(?![\t\r\n])[\p{C}\p{Z}"])*[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;
