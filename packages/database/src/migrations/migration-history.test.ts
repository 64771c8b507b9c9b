import { checkHistory, compareHistory } from './migration-history.ts';
import type { MigrationRow } from './migration-history.ts';
import type { MigrationFile } from './migration-files.ts';

const file = (name: string, fields: Partial<MigrationFile> = {}): MigrationFile => ({
  name,
  sql: '',
  checksum: `sum of ${name}`,
  outsideTransaction: false,
  ...fields,
});
const row = (name: string, fields: Partial<MigrationRow> = {}): MigrationRow => ({
  id: name,
  name,
  checksum: `sum of ${name}`,
  startedAt: new Date(1),
  finishedAt: new Date(2),
  rolledBackAt: null,
  logs: null,
  ...fields,
});
const files = [file('1_initial'), file('2_more')];
const check = (rows: MigrationRow[], { tables = true, of = files } = {}) => {
  const history = compareHistory(of, rows);
  checkHistory(history, tables);
  return history.pending.map((one) => one.file.name);
};

describe('The history of a database', () => {
  it('has the migrations pending that were not applied', () => {
    expect(check([], { tables: false })).toEqual(['1_initial', '2_more']);
    expect(check([row('1_initial')])).toEqual(['2_more']);
    expect(check([row('1_initial'), row('2_more')])).toEqual([]);
  });

  it('fits an older release when a newer one has migrated the database', () => {
    expect(check([row('1_initial'), row('2_more'), row('3_newer')])).toEqual([]);
  });

  it('has a migration pending again that was rolled back', () => {
    const undone = row('2_more', { finishedAt: null, rolledBackAt: new Date(3) });
    expect(check([row('1_initial'), undone])).toEqual(['2_more']);
  });

  it('is refused when a migration did not finish, with the commands that resolve it', () => {
    const rows = [row('1_initial'), row('2_more', { finishedAt: null, logs: '\nno such column' })];
    expect(() => check(rows)).toThrow(/no such column[^]*--rolled-back 2_more[^]*--applied 2_more/);
  });

  it('lets a migration be repeated that runs outside a transaction', () => {
    const rows = [row('1_initial'), row('2_more', { finishedAt: null })];
    expect(check(rows, { of: [file('1_initial'), file('2_more', { outsideTransaction: true })] })).toEqual([
      '2_more',
    ]);
  });

  it('is refused when a migration was applied with another script', () => {
    expect(() => check([row('1_initial', { checksum: 'other' })])).toThrow(
      /1_initial was applied with another script[^]*npm run dev -- --fresh[^]*restore a backup/,
    );
  });

  it('is refused when the database has another first migration, or tables without any', () => {
    expect(() => check([row('0_first')])).toThrow('0_first was applied, which is not a migration of this');
    expect(() => check([])).toThrow('The database has tables but no record of 1_initial');
  });
});
