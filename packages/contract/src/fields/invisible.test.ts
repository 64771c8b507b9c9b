import { escapeInvisible, withoutInvisible } from './invisible.ts';

describe('Invisible characters of a text', () => {
  it.each([
    [' A-1', '\\u0020A-1'],
    ['A-1 \t', 'A-1\\u0020\\u0009'],
    ['\u3000A 1\u00a0', '\\u3000A 1\\u00a0'],
    ['\ufeffA-1', '\\ufeffA-1'],
    ['A\u200b-\u200d1', 'A\\u200b-\\u200d1'],
    ['A\u00ad-1\u202e', 'A\\u00ad-1\\u202e'],
    ['A\n1\r\n', 'A\\u000a1\\u000d\\u000a'],
    ['A\u{e0041}', 'A\\u{e0041}'],
    ['\u3164주문', '\\u3164주문'],
    [' ', '\\u0020'],
    [' \u200b ', '\\u0020\\u200b\\u0020'],
  ])('%j is shown as %s', (text, shown) => {
    expect(escapeInvisible(text)).toBe(shown);
  });

  it.each(['A-1', 'A 1', '주문 1', '😀', 'é', '\\u0020', '1'])('%j has none', (text) => {
    expect(escapeInvisible(text)).toBeUndefined();
    expect(withoutInvisible(text)).toBe(text);
  });

  it('are left out, and blanks stay', () => {
    expect(withoutInvisible(' \ufeffa\u200b \u00adb\t')).toBe(' a b');
  });
});
