import { createInstance } from 'i18next';
import type { i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { rememberLanguage } from './language.ts';
import type { Language } from './language.ts';
import type { Texts } from './texts.ts';

interface Translation {
  texts: Texts;
  /** Formats of `{{value, format}}` that only this language uses, by name. */
  formats?: readonly (readonly [name: string, format: (value: unknown) => string])[];
}

const load: Record<Language, () => Promise<Translation>> = {
  en: () => import('./en/index.ts').then(({ en }) => ({ texts: en })),
  ko: () =>
    import('./ko/index.ts').then(({ ko, particleFormats }) => ({ texts: ko, formats: particleFormats })),
};

/** Starts i18next with the texts of one language. */
export async function startI18n(language: Language): Promise<i18n> {
  const instance = createInstance();
  await instance.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'console',
    resources: {},
    // React escapes texts itself.
    interpolation: { escapeValue: false },
  });
  await addLanguage(instance, language);
  document.documentElement.lang = language;
  return instance;
}

/** Changes the language. Loads its texts on the first change to it. */
export async function changeLanguage(instance: i18n, language: Language): Promise<void> {
  if (!instance.hasResourceBundle(language, 'console')) await addLanguage(instance, language);
  await instance.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}

async function addLanguage(instance: i18n, language: Language): Promise<void> {
  const { texts, formats = [] } = await load[language]();
  for (const [name, format] of formats) instance.services.formatter?.add(name, format);
  instance.addResourceBundle(language, 'console', texts);
}
