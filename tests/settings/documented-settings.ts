import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '@rewardhook/testing';
import { readSettingsTable } from '../../scripts/settings-table.ts';

/** What the table of docs/operations/settings.md says about a setting of a process. */
export interface DocumentedSetting {
  name: string;
  process: string;
  /** The default as it is written; `required` and `none` stand for themselves. */
  value: string;
  secret: boolean;
  /** Refused with `NODE_ENV=production`. */
  development: boolean;
}

/** Every setting of the table of docs/operations/settings.md, for each process that reads it. */
export function documentedSettings(processes: string[], commands: string[]): DocumentedSetting[] {
  const document = readFileSync(join(projectRoot, 'docs/operations/settings.md'), 'utf8');
  return parseSettings(document, processes, commands);
}

/** The same from the text of the document. */
export function parseSettings(
  document: string,
  processes: string[],
  commands: string[],
): DocumentedSetting[] {
  const processesIn = (cell: string): string[] => {
    if (cell === 'all') return processes;
    if (cell === 'all services') return processes.filter((name) => !commands.includes(name));
    const except = /^all but (.+)$/.exec(cell)?.[1]?.split(', ');
    return except ? processes.filter((name) => !except.includes(name)) : cell.split(', ');
  };
  return readSettingsTable(document).flatMap(({ names, processes: processCell, defaults, text }) =>
    // One default of each variable, or of each process where there is one variable.
    names.flatMap((name, n) =>
      processesIn(processCell).map((process, p) => ({
        name,
        process,
        value: (names.length === 1 && defaults.length > 1 ? defaults[p] : defaults[n]) ?? '',
        secret: /^secret\b/i.test(text),
        development: /^development only\b/i.test(text),
      })),
    ),
  );
}
