import { open, rename, rm } from 'node:fs/promises';
import { UsageError } from '../command.ts';

type Cell = string | number | bigint | null;

/**
 * Writes a CSV file (RFC 4180, UTF-8, CRLF) row by row, readable for its owner only. The file appears under its name
 * once it is complete. Returns the number of rows without the header.
 * @throws UsageError when it cannot be written there
 */
export async function writeCsv(
  path: string,
  header: string[],
  fill: (write: (rows: Cell[][]) => Promise<void>) => Promise<void>,
): Promise<number> {
  const partial = `${path}.${process.pid}.part`;
  const refuse = (error: Error): never => {
    throw new UsageError(`${path} cannot be written: ${error.message}`);
  };
  const handle = await open(partial, 'w', 0o600).catch(refuse);
  let count = 0;
  try {
    await handle.write(csvLine(header));
    await fill(async (rows) => {
      await handle.write(rows.map(csvLine).join(''));
      count += rows.length;
    });
    await handle.close();
    await rename(partial, path).catch(refuse);
    return count;
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}

/** One line with its line break. Null is an empty cell. */
export function csvLine(cells: Cell[]): string {
  return `${cells.map((cell) => csvCell(cell === null ? '' : String(cell))).join(',')}\r\n`;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe in front (OWASP, "CSV Injection"). */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
