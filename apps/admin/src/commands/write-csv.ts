import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { csvLine } from '@rewardhook/contract';
import type { CsvCell } from '@rewardhook/contract';
import { UsageError } from '../command.ts';

/**
 * Writes a CSV file (RFC 4180, UTF-8, CRLF) row by row, readable by its owner only. Returns the number of rows without the header.
 * A new file, or one that replaces a plain file, appears under its name when it is complete; symbolic links are followed.
 * Anything else, such as a named pipe or `/dev/stdout`, is written directly.
 * @throws UsageError when the file cannot be written
 */
export async function writeCsv(
  path: string,
  header: string[],
  fill: (write: (rows: CsvCell[][]) => Promise<void>) => Promise<void>,
): Promise<number> {
  const file = await replaceableFile(path);
  const partial = file && `${file}.${process.pid}.part`;
  const handle = await open(partial ?? path, 'w', 0o600).catch((error: Error) => refuse(path, error));
  const write = (text: string) => handle.writeFile(text).catch((error: Error) => refuse(path, error));
  let count = 0;
  try {
    await write(csvLine(header));
    await fill(async (rows) => {
      await write(rows.map((row) => csvLine(row)).join(''));
      count += rows.length;
    });
    await handle.close();
    if (partial) await rename(partial, file).catch((error: Error) => refuse(path, error));
    return count;
  } catch (error) {
    await handle.close().catch(() => undefined);
    if (partial) await rm(partial, { force: true });
    throw error;
  }
}

function refuse(path: string, error: Error): never {
  throw new UsageError(`${path} cannot be written: ${error.message}`);
}

/** The plain file that `path` names, or the path itself when nothing is there. Undefined for anything else. */
async function replaceableFile(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found) return found.isFile() ? realpath(path).catch(() => undefined) : undefined;
  const danglingLink = await lstat(path).catch(() => undefined);
  return danglingLink ? undefined : path;
}
