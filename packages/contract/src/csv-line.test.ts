import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { csvLine } from './csv-line.ts';

const cell = (text: string) => csvLine([text]).slice(0, -2);

/** Parses the cells of one line by RFC 4180. */
function read(line: string): string[] {
  const cells = [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n$)/g)];
  return cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

/** The possible cells of a line, for any separator that a spreadsheet may use. */
const possibleCells = (line: string) =>
  line.split(/[,;|\t\r\n]/).map((part) => part.replace(/^[\s\p{C}\p{Z}"]+/u, ''));

const beginsFormula = /^[=+\-@＝＋－＠]/;

describe('csvLine', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+82 2 123', "'+82 2 123"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['＝1+1', "'＝1+1"],
    ['＠x', "'＠x"],
    [' =1', "' =1"],
    ['x ', '"x "'],
    ['\u200b=1', "'\u200b=1"],
    ['\ufeff＋1', "'\ufeff＋1"],
    ['\n=1', `"'\n'=1"`],
    ['\ttext', `"'\ttext"`],
    ['a;=1', `"a;'=1"`],
    ['a;"=1', `"a;'""=1"`],
    ['a\r\n=1', `"a\r\n'=1"`],
    ['order-1=2', 'order-1=2'],
    ['김, "철수"', '"김, ""철수"""'],
  ])('The text %j is written as %j', (text, written) => {
    expect(cell(text)).toBe(written);
  });

  it('Numbers are written unchanged, and null is an empty cell', () => {
    expect(csvLine([-5, 12n, null, 'x'])).toBe('-5,12,,x\r\n');
  });

  it.each([
    '00123',
    '2026-11',
    '12:30',
    '1/2',
    '-1',
    '1.50',
    '12345678901234567890',
    '1e5',
    '010 1234',
    '1E-7',
  ])('For a spreadsheet, the text %j is written as a formula that is the text itself', (text) =>
    expect(csvLine([text, 'x'], { keepDigits: true })).toBe(`"=""${text}""",x\r\n`),
  );

  it.each(['', '-', 'A-1003', '1e', '1,2', '1;2', '=1', '1"', 'e5', '2026-11-29T10:00:00Z', '12\n'])(
    'For a spreadsheet, the text %j is written as usual',
    (text) => expect(csvLine([text], { keepDigits: true })).toBe(csvLine([text])),
  );

  it('No text begins a formula in any spreadsheet, and every text is read back except for apostrophes', () => {
    const dangerous = fc.constantFrom(...Array.from('=+-@＝＋－＠;|,"\t\r\n \u200b\u00a0\ufeff\'a1'));
    const text = fc.oneof(
      fc.string({ unit: dangerous, maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const line = csvLine(texts);
        expect(possibleCells(line).filter((part) => beginsFormula.test(part))).toEqual([]);
        const plain = (one: string) => one.replaceAll("'", '');
        expect(read(line).slice(0, texts.length).map(plain)).toEqual(texts.map(plain));
      }),
      { numRuns: propertyCases(300) },
    );
  });
});
