import { errorTexts as english } from '../web/src/i18n/en/error-texts.ts';
import { errorTexts as korean } from '../web/src/i18n/ko/error-texts.ts';

const texts = { en: english.errorTexts, ko: korean.errorTexts };
const codes = Object.keys(texts.en) as (keyof typeof texts.en)[];

/** The parameters that a text needs, as i18next names them. */
const placeholders = (text: string) => [...text.matchAll(/\{\{(\w+)/g)].map(([, name]) => name).toSorted();

// The compiler checks that both languages have a text for every code.
describe('The texts of error codes', () => {
  it.each(codes)('%s has the same parameters in both languages', (code) => {
    expect(placeholders(texts.ko[code])).toEqual(placeholders(texts.en[code]));
  });

  it('are complete sentences', () => {
    const incomplete = [...Object.values(texts.en), ...Object.values(texts.ko)].filter(
      (text) => !/[.}]$/.test(text),
    );
    expect(incomplete).toEqual([]);
  });
});
