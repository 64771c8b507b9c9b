import { goalResultOf, ratioOf, spreadOf } from './figure.ts';
import type { Figure } from './figure.ts';

const headings = ['', 'figure', '±', 'beside', 'ratio', 'limit', 'result'];

/** Formats figures as a text table, one block per section. */
export function tableOf(figures: Figure[]): string {
  const sections = [...new Set(figures.map(({ section }) => section))];
  return sections.map((section) => blockOf(section, figures)).join('\n');
}

function blockOf(section: string, figures: Figure[]): string {
  const own = figures.filter((figure) => figure.section === section);
  const rows = [headings, ...own.map(rowOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd(),
  );
  const notes = own.flatMap(({ name, note }) => (note ? [`  · ${name}: ${note}`] : []));
  return [`\n${section}`, ...lines, ...notes].join('\n');
}

/** The cells of a figure. */
function rowOf(figure: Figure): string[] {
  const { name, value, unit, reference, goal } = figure;
  const ratio = ratioOf(figure);
  const spread = spreadOf(figure);
  const unitOfGoal = goal?.of === 'ratio' ? '×' : ` ${unit}`;
  return [
    name,
    `${readable(value)} ${unit}`,
    spread === undefined ? '' : `${Math.round(spread * 100)} %`,
    reference ? `${readable(reference.value)} ${reference.name}` : '',
    ratio === undefined ? '' : `${readable(ratio)}×`,
    goal ? `${goal.atMost === undefined ? '≥' : '≤'} ${goal.atLeast ?? goal.atMost}${unitOfGoal}` : '',
    goalResultOf(figure),
  ];
}

/** A number with three significant digits or all of its integer digits. */
function readable(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}
