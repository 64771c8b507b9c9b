import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { csvLine } from '@rewardhook/contract';
import type { CsvCell } from '@rewardhook/contract';

/**
 * Sends a CSV file as fast as the client takes it; what it does not take is not read. A client that goes away ends it.
 * The first rows are read before the answer begins: a failure there is still told as one.
 */
export async function sendCsv(
  response: Response,
  fileName: string,
  header: string[],
  parts: AsyncGenerator<CsvCell[][]>,
): Promise<void> {
  const first = await parts.next();
  async function* lines() {
    yield csvLine(header);
    if (!first.done) yield first.value.map((row) => csvLine(row)).join('');
    for await (const rows of parts) yield rows.map((row) => csvLine(row)).join('');
  }
  response.status(200).type('text/csv; charset=utf-8').attachment(fileName);
  await pipeline(Readable.from(lines()), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
