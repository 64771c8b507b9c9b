import type { Response } from 'express';
import type { CsvCell } from '@rewardhook/contract';
import type { ListPage, PageRequest } from '@rewardhook/database';
import { sendCsv } from './send-csv.ts';

/** Rows that are read at a time; between two reads no connection to the database is held. */
const rowsAtATime = 1_000;

/** Sends all of a list as a CSV file. */
export async function exportList<Row>(
  response: Response,
  fileName: string,
  columns: Record<string, (row: Row) => CsvCell>,
  read: (page: PageRequest) => Promise<ListPage<Row>>,
): Promise<void> {
  const cells = Object.values(columns);
  async function* parts() {
    let after: string | null = null;
    do {
      const page: ListPage<Row> = await read({ after, limit: rowsAtATime });
      yield page.items.map((row) => cells.map((cell) => cell(row)));
      after = page.next;
    } while (after !== null);
  }
  await sendCsv(response, fileName, Object.keys(columns), parts());
}
