/** Characters that terminals write in two columns: Hangul, Chinese and Japanese characters, full-width forms and emoji. */
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u;

const segmenter = new Intl.Segmenter();

/** The number of columns that a text without control characters takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
