/** A value of a CSV file; null is an empty cell. */
export type CsvCell = string | number | bigint | null;

/** One line of a CSV file (RFC 4180) with its line break. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A text that a spreadsheet would interpret as a formula is prefixed with an apostrophe (OWASP, "CSV Injection"). So is
 * each part of it that would be a separate cell in a program with another separator than the comma. Numbers come from
 * Rewardhook and stay unchanged.
 */
function csvCell(cell: CsvCell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const safe = cell.replace(formulas, "$1'$2").replace(/^[\t\r\n]/, "'$&");
  return /[",;|\t\r\n]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * The start of a cell and the start of a formula in it: a formula character, also a full-width one as Excel accepts in
 * East Asian languages, after any white space, control and invisible characters and quotation marks.
 */
const formulas = /(^|[,;|\t\r\n])((?:(?![\t\r\n])[\p{C}\p{Z}"])*[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;
