/** A row of the table of settings in docs/operations/settings.md. */
export interface SettingsRow {
  names: string[];
  /** Such as `api, sync`, `all services` or `all but dashboard`. */
  processes: string;
  /** As they are written, without backticks: one for each name, or one for each process. */
  defaults: string[];
  text: string;
}

/** Reads the table of settings from the text of docs/operations/settings.md. */
export function readSettingsTable(document: string): SettingsRow[] {
  const table = document.split('<!-- prettier-ignore-end -->')[0] ?? '';
  return table.split('\n').flatMap((line) => {
    const [, names = '', processes = '', defaults = '', text = ''] = line.split('|').map((c) => c.trim());
    if (!names.startsWith('`')) return [];
    const listOf = (cell: string) => cell.split(', ').map((value) => value.replaceAll('`', ''));
    return [{ names: listOf(names), processes, defaults: listOf(defaults), text }];
  });
}
