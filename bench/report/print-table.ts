import { isMissed, ratioOf, spreadOf, goalResultOf } from './figure.ts';
import type { Figure } from './figure.ts';

/** The columns of {@link rowOf}. */
export const headings = ['', 'figure', '±', 'reference', 'ratio', 'goal', 'result'];

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
  const notes = notesOf(own).map((note) => `  · ${note}`);
  return [`\n${section}`, ...lines, ...notes].join('\n');
}

/** Each note once: several figures often have the same bottleneck. */
function notesOf(figures: Figure[]): string[] {
  const notes = figures.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : []));
  const missed = figures.filter((figure) => figure.bottleneck && isMissed(figure));
  const reasons = new Set(missed.map(({ bottleneck }) => `Bottleneck of the missed goals: ${bottleneck}`));
  return [...notes, ...reasons];
}

/** The cells of a figure. */
export function rowOf(figure: Figure): string[] {
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
export function readable(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}
