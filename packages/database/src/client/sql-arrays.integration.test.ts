import fc from 'fast-check';
import { createTestDatabase } from '@rewardhook/testing/servers';
import { openDatabase } from './prisma.ts';
import { booleanArray, jsonTextArray, numberArray, textArray } from './sql-arrays.ts';

describe('An array literal', () => {
  it('contains exactly the given texts and nulls when PostgreSQL parses it', async () => {
    const test = await createTestDatabase();
    const database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
    const special = fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      ',',
      'NULL',
      '\n',
      '\t',
      '\u0001',
      ' ',
      '',
      '한',
      '🙂',
      '\\n',
    );
    // NUL and lone surrogates cannot occur: requests that contain them are refused.
    const text = fc
      .array(fc.oneof(special, fc.string({ unit: 'grapheme' })), { maxLength: 6 })
      .map((parts) => parts.join('').replaceAll('\0', ''));
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.option(text, { freq: 10 }), { maxLength: 8 }), async (texts) => {
          const rows = await database.query<{ text: string }>('SELECT unnest($1::text[]) AS text', [
            textArray(texts),
          ]);
          expect(rows.map((row) => row.text)).toEqual(texts);
          const documents = texts.map((one) => (one === null ? null : JSON.stringify({ [one]: one })));
          const stored = await database.query<{ text: string }>('SELECT unnest($1::text[]) AS text', [
            jsonTextArray(documents),
          ]);
          expect(stored.map((row) => row.text)).toEqual(documents);
        }),
        { numRuns: 300 },
      );
    } finally {
      await database.$disconnect();
      await test.drop();
    }
  });

  it('contains exactly the given numbers, booleans and nulls', async () => {
    const test = await createTestDatabase();
    const database = openDatabase({ url: test.url, poolSize: 1, applicationName: 'test' });
    try {
      const numbers = [0, -1, null, 1.5, 1e-7, 9_007_199_254_740_991];
      const booleans = [true, false, true];
      const [row] = await database.query(
        'SELECT $1::double precision[] AS numbers, $2::boolean[] AS booleans',
        [numberArray(numbers), booleanArray(booleans)],
      );
      expect(row).toEqual({ numbers, booleans });
    } finally {
      await database.$disconnect();
      await test.drop();
    }
  });
});
