import fc from 'fast-check';
import { textProblem } from './text.ts';

describe('textProblem', () => {
  it.each([
    ['one character', 'x'],
    ['255 characters', 'x'.repeat(255)],
    ['255 emoji, which are 510 UTF-16 units', '😀'.repeat(255)],
    ['blanks', '   '],
    ['control characters other than NUL', '\u0001\n\t\u007f'],
    ['a non-character', '\uffff'],
  ])('A string with %s is accepted', (_, text) => {
    expect(textProblem(text, 1, 255)).toBeUndefined();
  });

  it.each([
    ['no characters', '', 'empty'],
    ['256 characters', 'x'.repeat(256), 'too_long'],
    ['256 emoji', '😀'.repeat(256), 'too_long'],
    ['255 emoji and a letter', '😀'.repeat(255) + 'x', 'too_long'],
    ['10 million characters', 'x'.repeat(10_000_000), 'too_long'],
    ['NUL', 'a\0b', 'nul'],
    ['a high surrogate alone', 'a\ud83d', 'lone_surrogate'],
    ['a low surrogate alone', '\ude00a', 'lone_surrogate'],
    ['a pair in the wrong order', '\ude00\ud83d', 'lone_surrogate'],
  ])('A string with %s is refused', (_, text, problem) => {
    expect(textProblem(text, 1, 255)).toBe(problem);
  });

  it('An empty string is accepted when the minimum length is 0', () => {
    expect(textProblem('', 0, 255)).toBeUndefined();
  });

  it('The length is counted in code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const tooLong = textProblem(text, 0, 20) === 'too_long';
        expect(tooLong).toBe(Array.from(text).length > 20);
      }),
    );
  });
});
