import { isMissed } from '../report/figure.ts';
import { headings, rowOf } from '../report/print-table.ts';
import { coreRows, limitRows } from './capacity.ts';
import { summaryRows } from './summary.ts';
import type { MeasuredSection, Run } from './measured.ts';

const derived: Record<string, (measured: MeasuredSection[]) => string[][]> = {
  'in short': summaryRows,
  'cores for a load': coreRows,
  'where one server ends': limitRows,
};

/**
 * The Markdown of a block of docs/performance.md: the figures of one section; with `*` at the end of the title those of each
 * section whose title begins so; or a table that is derived from several sections.
 */
export function blockOf(title: string, measured: MeasuredSection[]): string {
  const derive = derived[title];
  if (derive) return markdownTable(derive(measured));
  const found = measured.filter(({ section }) => isInBlock(section, title));
  if (found.length === 0) return '_Not measured yet._';
  const several = title.endsWith('*');
  return found.map((one) => `${several ? `**${one.section}**\n\n` : ''}${sectionOf(one)}`).join('\n\n');
}

/** Whether a block has the figures of a section. */
export function isInBlock(section: string, title: string): boolean {
  return title.endsWith('*') ? section.startsWith(title.slice(0, -1)) : section === title;
}

function sectionOf({ run, figures }: MeasuredSection): string {
  const rows = figures.map(rowOf);
  // A column without a value in any row is left out.
  const used = headings.map((_, column) => column === 0 || rows.some((row) => row[column]));
  const pick = (row: string[]) => row.filter((_, column) => used[column]);
  const notes = figures.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []));
  const limits = figures.filter((figure) => figure.bottleneck && isMissed(figure));
  const bottlenecks = [...new Set(limits.map(({ bottleneck }) => `What limits it: ${bottleneck}`))];
  const list = [...notes, ...bottlenecks].map((line) => `- ${line}`).join('\n');
  const parts = [markdownTable([pick(headings), ...rows.map(pick)]), list, describe(run)];
  return parts.filter((part) => part !== '').join('\n\n');
}

function describe(run: Run): string {
  const { date, commit, changed, cores, processor, memoryGb, node, stolenPercent, hugePages } = run;
  const stolen =
    stolenPercent === undefined ? '' : `, ${stolenPercent} % of the processor time taken by the host`;
  return `_Measured ${date} at commit ${commit}${changed ? ' with changes' : ''}: ${cores} cores (${processor}), ${memoryGb} GB, Node ${node}${hugePages ? ', PostgreSQL in huge pages' : ''}${stolen}._`;
}

function markdownTable([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
