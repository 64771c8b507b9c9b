/** The languages of the console. */
const languages = ['ko', 'en'] as const;
export type Language = (typeof languages)[number];

const key = 'rewardhook-language';

/** The language chosen on an earlier visit, else the first language of the browser that the console has, else English. */
export function chosenLanguage(): Language {
  return [stored(), ...navigator.languages.map((tag) => tag.slice(0, 2))].find(isLanguage) ?? 'en';
}

/** Stores the choice for the next visit, if the browser allows it. */
export function rememberLanguage(language: Language): void {
  try {
    localStorage.setItem(key, language);
  } catch {
    // Storage is not available: the choice lasts until the page is closed.
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function isLanguage(value: string | null): value is Language {
  return (languages as readonly (string | null)[]).includes(value);
}
