import { open, rename, rm } from 'node:fs/promises';
import { csvLine } from '@rewardhook/contract';
import type { CsvCell } from '@rewardhook/contract';
import { UsageError } from '../command.ts';

/**
 * Writes a CSV file (RFC 4180, UTF-8, CRLF) row by row, readable by its owner only. The file appears under its name when
 * it is complete. Returns the number of rows without the header.
 * @throws UsageError when the file cannot be written
 */
export async function writeCsv(
  path: string,
  header: string[],
  fill: (write: (rows: CsvCell[][]) => Promise<void>) => Promise<void>,
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
      await handle.write(rows.map((row) => csvLine(row)).join(''));
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
