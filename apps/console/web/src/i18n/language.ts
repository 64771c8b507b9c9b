/** The languages of the console. */
export const languages = ['ko', 'en'] as const;
export type Language = (typeof languages)[number];

const key = 'rewardhook-language';

/** The language that was chosen here before, else the browser's first one that the console has, else English. */
export function chosenLanguage(): Language {
  return [stored(), ...navigator.languages.map((tag) => tag.slice(0, 2))].find(isLanguage) ?? 'en';
}

/** Remembers the choice for the next visit, where the browser allows it. */
export function rememberLanguage(language: Language): void {
  try {
    localStorage.setItem(key, language);
  } catch {
    // Storage is denied: the choice holds until the page is left.
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
