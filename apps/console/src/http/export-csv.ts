import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { csvLine } from '@rewardhook/contract';
import type { CsvCell } from '@rewardhook/contract';
import { audit } from '@rewardhook/database';
import type { Database, ListPage, PageRequest } from '@rewardhook/database';

/** Rows of one page. Between two pages no connection to the database is held, and of a page only its lines are kept. */
const rowsPerPage = 500;

/**
 * Sends a complete list as a CSV file for spreadsheets, page by page, as fast as the client reads it. A client that disconnects ends the
 * reading, also one that reads nothing for 30 seconds. The first page is read, and the entry of the audit is written, before
 * the response starts, so that a failure there is answered as an error. The entry names the filters; their values may be ids
 * of members. `keepDigits`: whether texts of digits stay texts in a spreadsheet; false for columns of days.
 */
export async function exportCsv<Row>(
  { database, input, response }: { database: Database; input: object; response: Response },
  fileName: string,
  columns: Record<string, (row: Row) => CsvCell>,
  read: (page: PageRequest) => Promise<ListPage<Row>>,
  { keepDigits = true } = {},
): Promise<void> {
  const cells = Object.values(columns);
  const readLines = async (after: string | null) => {
    const { items, next } = await read({ after, limit: rowsPerPage });
    return {
      lines: items
        .map((row) =>
          csvLine(
            cells.map((cell) => cell(row)),
            { keepDigits },
          ),
        )
        .join(''),
      next,
    };
  };
  let page = await readLines(null);
  async function* lines() {
    // The byte order mark makes spreadsheets read UTF-8.
    yield `\ufeff${csvLine(Object.keys(columns))}`;
    yield page.lines;
    while (page.next !== null) {
      page = await readLines(page.next);
      yield page.lines;
    }
  }
  await audit(database, { details: { filters: Object.keys(input) } });
  response.status(200).type('text/csv; charset=utf-8').attachment(fileName);
  await pipeline(lines(), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
