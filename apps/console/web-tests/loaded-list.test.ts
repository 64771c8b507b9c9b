import { appendPage, freshRows, refreshList, shareRows, startList } from '../web/src/data/loaded-list.ts';

/** A page of rows, newest first: `rows(9, 7)` has the rows 9, 8 and 7. */
const rows = (from: number, to: number, text = '') =>
  Array.from({ length: from - to + 1 }, (_, index) => ({ id: `row-${from - index}`, text }));

const page = (from: number, to: number, text = '') => ({
  items: rows(from, to, text),
  next: to > 1 ? `after ${to}` : null,
});

const ids = ({ rows: shown }: { rows: { id: string }[] }) => shown.map(({ id }) => Number(id.slice(4)));

describe('The rows of a list that is loaded page by page', () => {
  const list = appendPage(startList(page(9, 7)), 'after 7', page(6, 4));

  it('A list of one page is what was read last', () => {
    expect(ids(refreshList(startList(page(9, 7)), page(12, 10)))).toEqual([12, 11, 10]);
  });

  it('A next page is added once, and not after the list has moved on', () => {
    expect(ids(list)).toEqual([9, 8, 7, 6, 5, 4]);
    expect(appendPage(list, 'after 7', page(6, 4))).toBe(list);
  });

  it('With older pages, the first page updates its rows and counts newer ones, and rows keep their positions', () => {
    const refreshed = refreshList(list, page(11, 8, 'changed'));
    expect(refreshed.rows.map(({ text }) => text)).toEqual(['changed', 'changed', '', '', '', '']);
    expect(ids(refreshed)).toEqual([9, 8, 7, 6, 5, 4]);
    expect(freshRows(refreshed)).toEqual({ count: 2, isExact: true });
    expect(ids(startList(refreshed.first))).toEqual([11, 10, 9, 8]);
  });

  it('A row that has left the first page of a filtered list is removed, and older ones stay', () => {
    const first = { items: [...rows(9, 9), ...rows(7, 7)], next: 'after 7' };
    const without8 = refreshList(list, first);
    expect(ids(without8)).toEqual([9, 7, 6, 5, 4]);
    // Also after the first page no longer reaches so far back.
    expect(ids(refreshList(without8, page(12, 9)))).toEqual([9, 7, 6, 5, 4]);
  });

  it('When more rows arrived than one page has, their number is not known, and the rows stay', () => {
    const refreshed = refreshList(list, page(30, 28));
    expect(ids(refreshed)).toEqual([9, 8, 7, 6, 5, 4]);
    expect(freshRows(refreshed)).toEqual({ count: 3, isExact: false });
  });

  it('A list that has become shorter than one page is shown completely', () => {
    expect(ids(refreshList(list, { items: rows(9, 8), next: null }))).toEqual([9, 8]);
  });

  it('A list says how far its last page was searched, and goes on from there also when that page has no row', () => {
    const searched = { items: [], next: 'after 5000', searched_to: { time: '2026-11-26T11:05:00.000000Z' } };
    const none = startList<{ id: string }>(searched);
    expect(none.searchedTo).toEqual(searched.searched_to);
    const older = appendPage(none, 'after 5000', { items: rows(3, 2), next: null });
    expect(ids(older)).toEqual([3, 2]);
    expect(older.searchedTo).toBeUndefined();
  });

  it('Rows that have not changed are the same objects after a refresh, at any position', () => {
    const before = startList(page(9, 7));
    const after = shareRows(
      before,
      startList({ items: [...rows(10, 10), ...rows(9, 9), ...rows(8, 8, 'new')], next: null }),
    );
    expect(after.rows[1]).toBe(before.rows[0]);
    expect(after.rows[2]).not.toBe(before.rows[1]);
  });
});
