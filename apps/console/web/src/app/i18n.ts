import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { chosenLanguage, rememberLanguage } from './language.ts';
import type { Language } from './language.ts';

/** A room of the console: a folder of pages with their texts. */
export type Room = 'account' | 'customers' | 'developers' | 'docs' | 'home' | 'people' | 'program';
type Folder = 'app' | `rooms/${Room}`;

/** The texts of each folder are a chunk of their own in each language: see `web/build/texts.ts`. */
const chunks = {
  en: import.meta.glob<object>('/src/{app,rooms/*}/texts.ts', { query: '?en', import: 'default' }),
  ko: import.meta.glob<object>('/src/{app,rooms/*}/texts.ts', { query: '?ko', import: 'default' }),
};

export const i18n = createInstance();
/** The folders whose texts are in use. A change of the language loads these. */
const inUse = new Set<Folder>();

/** Starts i18next in the chosen language, with the texts that every page needs. */
export async function startI18n(): Promise<void> {
  const language = chosenLanguage();
  const started = i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'console',
    resources: {},
    // React escapes texts itself.
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
  await Promise.all([started, loadFolder('app')]);
}

/** Loads the texts of a room. Afterwards, its pages can render. */
export const loadTexts = (room: Room): Promise<void> => loadFolder(`rooms/${room}`);

/** Changes the language. Loads the texts in use on the first change to it. */
export async function changeLanguage(language: Language): Promise<void> {
  let known: number;
  do {
    known = inUse.size;
    await Promise.all([...inUse].map((folder) => addTexts(folder, language)));
    // Meanwhile, a page of another room may have been opened.
  } while (inUse.size > known);
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}

async function loadFolder(folder: Folder): Promise<void> {
  inUse.add(folder);
  await addTexts(folder, i18n.language as Language);
}

async function addTexts(folder: Folder, language: Language): Promise<void> {
  const load = chunks[language][`/src/${folder}/texts.ts`] as () => Promise<object>;
  const [texts, korean] = await Promise.all([load(), language === 'ko' && import('./particles.ts')]);
  if (korean) for (const [name, format] of korean.particleFormats) i18n.services.formatter?.add(name, format);
  // Deep: a group can have some of its texts in `app`.
  i18n.addResourceBundle(language, 'console', texts, true);
}
