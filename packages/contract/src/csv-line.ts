/** A value of a CSV file; null is an empty cell. */
export type CsvCell = string | number | bigint | null;

/** One line of a CSV file (RFC 4180) with its line break. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map((cell) => csvCell(cell === null ? '' : String(cell))).join(',')}\r\n`;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, "CSV Injection"). */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
