import { blockOf, isInBlock } from './tables.ts';
import type { MeasuredSection } from './measured.ts';

const block = /<!-- figures: ([^>]*?) -->\n[^]*?<!-- end of figures -->/g;

/**
 * Writes the tables into the blocks of a page: `<!-- figures: <section> -->` … `<!-- end of figures -->`.
 * @throws when a measured section has no block
 */
export function fillPage(page: string, measured: MeasuredSection[]): string {
  const titles = [...page.matchAll(block)].map(([, title = '']) => title);
  const missing = measured.filter(({ section }) => !titles.some((title) => isInBlock(section, title)));
  if (missing.length > 0)
    throw new Error(
      `docs/performance.md has no block for: ${missing.map(({ section }) => section).join('; ')}. Add <!-- figures: … -->`,
    );
  return page.replaceAll(
    block,
    (_, title: string) =>
      `<!-- figures: ${title} -->\n\n${blockOf(title, measured)}\n\n<!-- end of figures -->`,
  );
}
