import { readMigrations } from './migration-files.ts';
import { readReleases } from './releases.ts';

/** Changes that processes of the release before cannot work with, or that block them for long. */
const contracting: [what: string, pattern: RegExp][] = [
  ['drops a table', /\bDROP\s+TABLE\b/i],
  ['drops a column', /\bDROP\s+COLUMN\b/i],
  ['drops a view or function', /\bDROP\s+(?:VIEW|FUNCTION)\b/i],
  ['renames', /\bRENAME\s+(?:TO|COLUMN|CONSTRAINT)?\b/i],
  ['changes the type of a column', /\bALTER\s+(?:COLUMN\s+)?"?\w+"?\s+(?:SET\s+DATA\s+)?TYPE\b/i],
  ['forbids null in a column', /\bSET\s+NOT\s+NULL\b/i],
  [
    'adds a column without a default that is not null',
    /\bADD\s+(?:COLUMN\s+)?(?!CONSTRAINT)(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i,
  ],
  ['deletes all rows of a table', /(?<!BEFORE )\bTRUNCATE\b/i],
];

/** The line with which a migration contracts: it names the release that stopped using what it removes. */
const contractMark = /^-- contract: .+ is unused since release \S+/m;

const withoutComments = (sql: string) => sql.replaceAll(/--[^\n]*/g, '');
const withoutBodies = (sql: string) => withoutComments(sql).replaceAll(/\$\$[^]*?\$\$/g, "''");

/** What a script does that the previous release does not tolerate. */
function contractions(sql: string): string[] {
  const statements = withoutComments(sql);
  return contractMark.test(sql)
    ? []
    : contracting.filter(([, pattern]) => pattern.test(statements)).map(([what]) => what);
}

describe('A migration', () => {
  const files = readMigrations();
  const later = files.slice(1);

  it('has a name that starts with its time, and no other migration has this time', () => {
    const times = files.map(({ name }) => /^(\d{14})_[a-z0-9_]+$/.exec(name)?.[1]);
    expect(times.length).toBeGreaterThan(0);
    expect(new Set(times).size).toBe(files.length);
    expect(times).not.toContain(undefined);
  });

  it('is the initial one before the first release, and never changes after it was released', () => {
    const releases = readReleases();
    if (releases.length === 0)
      expect(files.map(({ name }) => name)).toEqual([expect.stringMatching(/_initial$/)]);
    const checksums = Object.fromEntries(files.map(({ name, checksum }) => [name, checksum]));
    for (const { migrations } of releases) expect(checksums).toMatchObject(migrations);
  });

  it('only expands the schema, unless it names the release that stopped using what it removes', () => {
    expect(
      later.map(({ name, sql }) => [name, contractions(sql)]).filter(([, found]) => found?.length),
    ).toEqual([]);
  });

  it('does not end its transaction, and changes no setting of the session', () => {
    const breaking = /(?:^|;)\s*(?:BEGIN|COMMIT|ROLLBACK|START\s+TRANSACTION|SET\s+(?!LOCAL\b))/i;
    const found = files.filter(({ sql }) => breaking.test(withoutBodies(sql)));
    expect(found.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['DROP TABLE clicks;', 'drops a table'],
    ['ALTER TABLE "members" DROP COLUMN "code";', 'drops a column'],
    ['ALTER TABLE members RENAME COLUMN code TO referral_code;', 'renames'],
    ['ALTER TABLE members ALTER COLUMN code TYPE varchar(10);', 'changes the type of a column'],
    ['ALTER TABLE members ALTER COLUMN code SET NOT NULL;', 'forbids null in a column'],
    [
      'ALTER TABLE members ADD COLUMN age integer NOT NULL;',
      'adds a column without a default that is not null',
    ],
  ])('that contains "%s" contracts: it %s', (sql, what) => {
    expect(contractions(sql)).toEqual([what]);
    expect(contractions(`-- contract: it is unused since release 1.4.0\n${sql}`)).toEqual([]);
  });

  it.each([
    'ALTER TABLE members ADD COLUMN age integer;',
    'ALTER TABLE members ADD COLUMN age integer NOT NULL DEFAULT 0, ADD COLUMN tier text;',
    'CREATE TABLE tiers (id text NOT NULL, PRIMARY KEY (id));',
    '-- DROP TABLE is not used here.\nCREATE INDEX tiers_id ON tiers (id);',
  ])('that contains "%s" expands', (sql) => {
    expect(contractions(sql)).toEqual([]);
  });
});
