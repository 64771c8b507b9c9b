import { pageBytes, takePage } from './list-page.ts';

describe('takePage', () => {
  const rows = (count: number, characters: number) =>
    Array.from({ length: count }, (_none, index) => ({ index, text: '가'.repeat(characters) }));

  it('A page has the rows up to its limit', () => {
    expect(takePage(rows(3, 1), 3)).toHaveLength(3);
    expect(takePage(rows(4, 1), 3)).toHaveLength(3);
    expect(takePage([], 3)).toEqual([]);
  });

  it('A page of large rows has fewer, and at least one', () => {
    const page = takePage(rows(20, 100_000), 10);
    expect(page).toHaveLength(3);
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(pageBytes);
    expect(takePage(rows(2, pageBytes), 10)).toHaveLength(1);
  });
});
