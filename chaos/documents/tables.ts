import { checks } from '../checks/check-history.ts';
import { defects } from '../defects/defects.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { scenarios } from '../scenarios/scenarios.ts';

/** The tables of docs/reliability.md by their names, as rows of cells. */
const tables: Record<string, string[][]> = {
  scenarios: [
    ['scenario', 'what it does', 'situation that it must have reached', 'when'],
    ...scenarios.map((one) => [`\`${one.name}\``, one.what, one.situation, whenOf(one)]),
  ],
  checks: [
    ['check', 'promise', 'seen'],
    ...checks.map(({ name, promise }) => [`\`${name}\``, promise, 'at the end']),
    ...scenarios.flatMap(({ name, ownChecks = [] }) =>
      ownChecks.map((own) => [`\`${own.name}\``, own.promise, `in \`${name}\``]),
    ),
  ],
  defects: [
    ['defect', 'the guard that is taken out', 'caught by'],
    ...defects.map(({ name, guard, caughtBy }) => [
      `\`${name}\``,
      guard,
      'scenario' in caughtBy
        ? `\`${caughtBy.scenario}\`: \`${caughtBy.check}\``
        : `\`${caughtBy.test}\`, because ${caughtBy.because}`,
    ]),
  ],
};

function whenOf({ besideFaults, onlyByName }: Scenario): string {
  if (onlyByName) return 'only by name';
  return besideFaults ? 'also beside random faults' : 'with its own faults';
}

const start = (name: string) => `<!-- ${name} -->`;
const end = (name: string) => `<!-- end of ${name} -->`;

/** A document with its tables as they are in the code. @throws when the marks of a table are missing */
export function withTables(document: string): string {
  return Object.entries(tables).reduce((text, [name, rows]) => {
    const [from, to] = [text.indexOf(start(name)), text.indexOf(end(name))];
    if (from < 0 || to < from) throw new Error(`The document has no place for the table of ${name}`);
    const [head = [], ...body] = rows;
    const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`);
    return `${text.slice(0, from + start(name).length)}\n\n${lines.join('\n')}\n\n${text.slice(to)}`;
  }, document);
}
