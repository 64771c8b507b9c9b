import { describeFieldError } from '../fields/field-errors.ts';
import { readJson } from './read-json.ts';
import type { JsonReading } from './read-json.ts';

type TextReading = { ok: true; value: unknown } | { ok: false; message: string };

/** Parses the text; an error is returned as its English text. */
function textOf(reading: JsonReading): TextReading {
  return reading.ok ? reading : { ok: false, message: describeFieldError(reading.error) };
}

function read(text: string): TextReading {
  return textOf(readJson(Buffer.from(text)));
}

describe('readJson', () => {
  it('JSON in UTF-8 is parsed', () => {
    expect(read('{"a":["상품",1]}')).toEqual({ ok: true, value: { a: ['상품', 1] } });
  });

  it('A byte order mark is skipped', () => {
    expect(read('\ufeff{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });

  it.each([
    ['arrays', (levels: number) => '['.repeat(levels) + ']'.repeat(levels)],
    ['objects', (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ])('JSON with 32 levels of %s is parsed, and with 33 it is refused', (_, nested) => {
    expect(read(nested(32))).toMatchObject({ ok: true });
    expect(read(nested(33))).toEqual({ ok: false, message: 'must not be nested deeper than 32 levels' });
  });

  it.each([
    ['arrays', '['.repeat(5_000_000)],
    ['objects', '{"[\\"":'.repeat(1_000_000)],
  ])('Millions of nested %s are refused without parsing', (_, text) => {
    expect(read(text)).toEqual({ ok: false, message: 'must not be nested deeper than 32 levels' });
  });

  it('Brackets inside strings do not count as nesting', () => {
    const value = { 'a["': ['['.repeat(100_000), '\\"'.repeat(50_000) + '{'.repeat(100_000)] };
    expect(read(JSON.stringify(value))).toEqual({ ok: true, value });
  });

  it('Many brackets side by side do not count as nesting', () => {
    expect(read(`[${'[],{},'.repeat(40_000)}0]`)).toMatchObject({ ok: true });
  });

  it.each(['', '  \r\n', '\ufeff'])('The empty body %j is refused', (text) => {
    expect(read(text)).toEqual({ ok: false, message: 'must not be empty' });
  });

  it.each([
    ['a Latin-1 letter', Buffer.from([0x22, 0xe9, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16 with its mark', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['a character cut short', Buffer.from('"상').subarray(0, 3)],
  ])('Bytes that are not UTF-8 are refused: %s', (_, bytes) => {
    expect(textOf(readJson(bytes))).toEqual({ ok: false, message: 'must be UTF-8 text' });
  });

  it.each([
    ['{"a":1,}', 'must be valid JSON: syntax error at character 8'],
    ['[1 2]', 'must be valid JSON: syntax error at character 4'],
    ['{"a":1}}', 'must be valid JSON: syntax error at character 8'],
    ['{"a": abc}', 'must be valid JSON: unexpected "a"'],
    ['{"a": \'x\'}', 'must be valid JSON: unexpected "\'"'],
    ['', 'must not be empty'],
    ['[1,', 'must be valid JSON: it ends too early'],
    ['NaN', 'must be valid JSON: it cannot be parsed'],
    ['[object Object]', 'must be valid JSON: it cannot be parsed'],
  ])('The error of %j names the mistake', (text, message) => {
    expect(read(text)).toEqual({ ok: false, message });
  });

  it.each([
    '{"card":"4111 1111 1111 1111" oops',
    '{"secret": hunter2}',
    'hunter2 is my password',
    '["hunter2',
  ])('The error of %j does not quote the body', (text) => {
    const result = textOf(readJson(Buffer.from(text)));
    expect(result.ok ? '' : result.message).not.toMatch(/hunter2|4111|unter/);
    expect(result.ok ? '' : result.message).toMatch(/^must be valid JSON: /);
  });

  it('A body with more than 200,000 values is refused before it is parsed', () => {
    const list = (count: number) => Buffer.from(`[${'0,'.repeat(count - 2)}0]`);
    expect(readJson(list(200_001))).toMatchObject({ ok: true });
    expect(readJson(list(200_002))).toMatchObject({ ok: false, error: { code: 'too_many_values' } });
    const objects = Buffer.from(`{"a":[${'{},'.repeat(1_000_000)}{}]}`);
    expect(readJson(objects)).toMatchObject({ ok: false, error: { code: 'too_many_values' } });
    const text = Buffer.from(JSON.stringify({ a: ',{['.repeat(1_000_000) }));
    expect(readJson(text)).toMatchObject({ ok: true });
  });
});
