import type { MigrationHistory } from './migration-history.ts';

/** Describes the migrations of a database, one line each, and whether all of this release are applied. */
export function describeStatus(history: MigrationHistory): { text: string; upToDate: boolean } {
  const { applied, pending, failed, changed, unknown } = history;
  const lines: [name: string, state: string][] = [
    ...applied.map(({ file, row }): [string, string] => [
      file.name,
      `applied ${row.finishedAt?.toISOString()}${changed.includes(file) ? ', with another script' : ''}`,
    ]),
    ...pending.map(({ file, row }): [string, string] => [
      file.name,
      row ? `not applied, started ${row.startedAt.toISOString()}: the next run repeats it` : 'not applied',
    ]),
    ...failed.map((row): [string, string] => [
      row.name,
      `started ${row.startedAt.toISOString()} and did not finish: see migrate resolve --help`,
    ]),
    ...unknown.map((name): [string, string] => [name, 'applied, not part of this release']),
  ].sort(([one], [other]) => (one < other ? -1 : 1));
  const width = Math.max(...lines.map(([name]) => name.length));
  const upToDate = pending.length + failed.length + changed.length === 0;
  return {
    text: [
      ...lines.map(([name, state]) => `${name.padEnd(width)}  ${state}`),
      upToDate ? 'The database is up to date.' : 'The database is not up to date.',
    ].join('\n'),
    upToDate,
  };
}
