import type { Column } from './data-list.tsx';
import { Identifier } from './identifier.tsx';

/** A column of ids, with links to their pages. A dash without an id. */
export const idColumn = <Row,>(
  header: string,
  idOf: (row: Row) => string | null,
  pathTo?: (id: string) => string,
): Column<Row> => ({
  header,
  width: 92,
  cell: (row) => {
    const id = idOf(row);
    return id === null ? '–' : <Identifier value={id} name={header} {...(pathTo && { to: pathTo(id) })} />;
  },
});
