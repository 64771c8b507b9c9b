/** A value of a CSV file; null is an empty cell. */
export type CsvCell = string | number | bigint | null;

/**
 * One line of a CSV file (RFC 4180) with its line break. `keepDigits` is for a file that people open in a spreadsheet: it would read the
 * id `00123` as a number, `2026-11` as a month and one of 20 digits without its last ones. Such a text is written as the formula
 * `="00123"`, of which the spreadsheet shows the text.
 */
export function csvLine(cells: readonly CsvCell[], { keepDigits = false } = {}): string {
  const written = cells.map((cell) =>
    keepDigits && typeof cell === 'string' && digits.test(cell) ? `"=""${cell}"""` : csvCell(cell),
  );
  return `${written.join(',')}\r\n`;
}

/** A text of digits and separators, also `1e5`: a spreadsheet reads some of them as numbers, days and times. No separator of cells. */
const digits = /^[-+./:_ ]*\d(?:[-+./:_ \d]|e(?=[-+]?\d+$))*$/i;

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
